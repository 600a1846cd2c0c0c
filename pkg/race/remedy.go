package race

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// remedy is a command and what it does.
type remedy struct{ command, does string }

// objectName is what the Kubernetes API accepts as a name. A name that is not of
// this form comes from a file somebody made up, and gets no command.
var objectName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)

// plainWord needs no quotes in a shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+-]+$`)

func shellQuote(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func command(words ...string) string {
	for i, w := range words {
		words[i] = shellQuote(w)
	}
	return strings.Join(words, " ")
}

// asciiJSON writes compact JSON in printable ASCII only, so that a command can
// be shown and copied whatever the values are.
func asciiJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	var b strings.Builder
	for _, r := range string(raw) {
		switch {
		case r < 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// mergePatch is a JSON merge patch of the Cluster by kubectl, "" if the name
// cannot be a real one.
func (in *Input) mergePatch(patch map[string]any) string {
	name := in.Snapshot.Name
	if !objectName.MatchString(name) {
		return ""
	}
	return command("kubectl", "patch", "clusters.management.cattle.io", name, "--type=merge", "-p", asciiJSON(patch))
}

// specPatch changes the Config, and only if the Cluster is still the one that
// was looked at: with another resourceVersion the API server refuses.
func (in *Input) specPatch(config map[string]any) string {
	patch := map[string]any{"spec": map[string]any{in.Snapshot.Provider.ConfigKey(): config}}
	if rv := in.Snapshot.ResourceVersion; rv != "" {
		patch["metadata"] = map[string]any{"resourceVersion": rv}
	}
	return in.mergePatch(patch)
}

// refreshNow makes Rancher read the cloud again. It is offered only where that
// helps: a frozen cluster's Config is left alone by a refresh.
func (in *Input) refreshNow() remedy {
	if in.Frozen || !in.Schedule.Ready {
		return remedy{}
	}
	words := []string{"sync", in.Snapshot.Name, "--refresh"}
	does := "refresh now: Rancher reads the cloud, and the cloud's values replace the Config's"
	if lost := in.hotWhere(func(h Hot) bool { return h.Origin == Unpushed }); len(lost) > 0 {
		does += "; this also takes back the edit of " + enumerate(fieldsOf(lost)) + ", which has not reached the cloud"
		words = append(words, "--allow-collateral", strings.Join(unitsOf(lost), ","))
	}
	return remedy{in.guarded(words...), does}
}

// guarded is a command of this program, which looks again before it does anything;
// "" if the cluster's name cannot be a real one.
func (in *Input) guarded(words ...string) string {
	if !objectName.MatchString(in.Snapshot.Name) {
		return ""
	}
	return command(append([]string{"kubectl", "hostedsync"}, words...)...)
}

func unitsOf(hot []Hot) []string {
	var out []string
	for _, h := range hot {
		out = append(out, h.Unit())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func removeAnnotation() map[string]any {
	return map[string]any{"metadata": map[string]any{"annotations": map[string]any{hosted.RefreshAnnotation: nil}}}
}

// unmanage gives up every merge unit that a change in the cloud made hot, all at
// once: any edit of the Config makes the operator enforce what is left.
func (in *Input) unmanage() remedy {
	config := map[string]any{}
	var units []string
	for _, h := range in.Hot {
		if h.Origin != CloudChange {
			continue
		}
		f, known := in.Table.Unit(h.Unit())
		if known && !f.Nullable() && !f.OmitEmpty {
			return remedy{}
		}
		if _, seen := config[h.Unit()]; !seen {
			units = append(units, h.Unit())
		}
		config[h.Unit()] = nil
	}
	if len(units) == 0 {
		return remedy{}
	}
	slices.Sort(units)
	how := in.specPatch(config) // a guarded change waits until nothing is under way
	if in.armed() {
		how = in.guarded(append([]string{"unmanage", in.Snapshot.Name}, units...)...)
	}
	return remedy{how,
		"leave " + strings.Join(units, ", ") + " to the cloud from now on (null in the Config); one patch for all that would be reverted, because any edit enforces the rest"}
}

// adopt makes the Config say what the cloud has, for every hot field that a
// change in the cloud made hot, in one patch.
func (in *Input) adopt() remedy {
	config := in.aligned()
	if len(config) == 0 {
		return remedy{}
	}
	does := "make the Config say what the cloud has, for every field that would be reverted"
	if !in.Cloud.Live {
		does += "; these are Rancher's last readings, so look at the cloud first"
	}
	return remedy{in.specPatch(config), does}
}

// inspect shows the operator's custom resource.
func (in *Input) inspect() remedy {
	s := in.Snapshot
	if !objectName.MatchString(s.Name) {
		return remedy{}
	}
	return remedy{
		command("kubectl", "-n", "cattle-global-data", "get", s.Provider.CRResource()+"."+s.Provider.CRGroup(), s.Name, "-o", "jsonpath={.status}"),
		"show the operator's phase and failure message",
	}
}

// operatorDeployment shows whether the operator runs.
func (in *Input) operatorDeployment() remedy {
	name := strings.TrimSuffix(in.Snapshot.Provider.ConfigKey(), "Config") + "-config-operator"
	return remedy{command("kubectl", "-n", "cattle-system", "get", "deployment", name), "show whether the operator runs"}
}
