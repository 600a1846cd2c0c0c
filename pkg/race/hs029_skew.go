package race

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// maxSkew is how many minors a node group may be older than the cluster.
const maxSkew = 3

// minorVersion is the only form of a version that the EKS operator accepts.
var minorVersion = regexp.MustCompile(`^(\d+)\.(\d+)$`)

// ruleSkew is a version in the Config that blocks everything.
func ruleSkew() Rule {
	return Rule{
		Code: "HS029", Scenario: "R29", Title: "The versions in an EKS Config stop every reconcile", Severity: Danger,
		Doc: Doc{
			What: "Before it does anything, the operator checks the versions in the Config: a node group may not be newer than the cluster's version in the Config, nor more than three minors older, and a version must be major.minor. A console upgrade that was absorbed for the groups and not for the cluster makes every reconcile fail, so that no other edit is pushed and the sync freezes.",
			Why:  "rancher/eks-operator, controller/eks-cluster-config-handler.go, validateUpdate compares with the Config's version, not with the cloud's, and only the minors. An empty version of a group is refused as well.",
			Lost: "Nothing in the cloud; every edit in Rancher waits.",
			Out:  "Set kubernetesVersion in the Config to the cloud's version, or the group's version to one that fits.",
		},
		Check: checkSkew,
	}
}

func checkSkew(in *Input) []Finding {
	s := in.Snapshot
	cluster, ok := s.Config["kubernetesVersion"].(string)
	if s.Provider != hosted.EKS || !ok || s.Config["nodeGroups"] == nil {
		return nil
	}
	var fields []string
	var ev []Evidence
	for _, e := range hosted.List(s.Config["nodeGroups"]) {
		g := hosted.Map(e)
		name, named := g["nodegroupName"].(string)
		version, set := g["version"].(string)
		if !named || !set {
			continue
		}
		why := skew(cluster, version)
		if why == "" {
			continue
		}
		field := hosted.Path{}.Key("nodeGroups").Item(name).Key("version").String()
		fields = append(fields, field)
		ev = append(ev, in.configEvidence(field, version), Evidence{"problem", why, in.configAt(field)})
	}
	if len(fields) == 0 {
		return nil
	}
	if in.Failure.Text != "" && Classify(in.Failure.Text).Name == classSkew.Name {
		ev = append(ev, in.failureEvidence())
	}
	f := Finding{
		Severity: Danger, Status: Present, Fields: fields,
		Summary: fmt.Sprintf("%s does not go with kubernetesVersion %s in the Config: the operator refuses every reconcile of this cluster",
			enumerate(fields), quoted(cluster)),
		Evidence: append([]Evidence{in.configEvidence("kubernetesVersion", cluster)}, ev...),
		Window:   Window{From: in.Now, Reason: "open until the versions in the Config fit (since when is not recorded)"},
	}
	if v := hosted.Str(in.Cloud.Spec["kubernetesVersion"]); v != "" && v != cluster {
		f.Evidence = append(f.Evidence, in.cloudEvidence("kubernetesVersion", v))
		f.remedies(remedy{in.specPatch(map[string]any{"kubernetesVersion": v}),
			"set the version to the cloud's; the edit makes the operator enforce all managed fields"})
	}
	return []Finding{f}
}

// skew says what is wrong with a group's version, "" if nothing is.
func skew(cluster, group string) string {
	c, okC := minor(cluster)
	g, okG := minor(group)
	switch {
	case !okC:
		return "the cluster's version is not of the form major.minor"
	case !okG:
		return "the version is not of the form major.minor"
	case g > c:
		return "the node group is newer than the cluster"
	case c-g > maxSkew:
		return fmt.Sprintf("the node group is %d minor versions older than the cluster", c-g)
	}
	return ""
}

func minor(v string) (int, bool) {
	m := minorVersion.FindStringSubmatch(v)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[2])
	return n, err == nil
}
