package race

import (
	"fmt"
	"strings"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// longInterval is an interval beyond which nobody can count on the refresh.
const longInterval = 24 * 60 * 60

// ruleInputs is about what the refresh is steered by.
func ruleInputs() Rule {
	return Rule{
		Code: "HS012", Scenario: "R12", Title: "What steers the refresh is broken", Severity: Danger,
		Doc: Doc{
			What: "The refresh is steered by an annotation (when it last ended), a setting (the interval in seconds) and the cluster's driver. An annotation or a setting that is no number stops it for good; an annotation in the future delays it; a setting of 0 or less makes Rancher refresh without pause; a driver that does not fit the Config makes the read fail or the handler crash; an object that Rancher cannot decode is not handled at all.",
			Why:  "rancher/rancher, pkg/controllers/management/clusterupstreamrefresher/cluster_upstream_refresher.go, nextRefreshTime and getProviderRefreshInterval; the value of a setting comes from the environment, the object's value, its default, in this order (pkg/controllers/dashboardapi/settings).",
			Lost: "Without refreshes the Config never takes over what is changed in the cloud, so that every window of the other rules stays open.",
			Out:  "Remove the annotation; set the interval to whole seconds, for example 300; correct the type or driver.",
		},
		Check: checkInputs,
	}
}

func checkInputs(in *Input) []Finding {
	var out []Finding
	add := func(fs ...Finding) { out = append(out, fs...) }
	add(in.settingFindings()...)
	add(in.annotationFindings()...)
	add(in.driverFindings()...)
	if in.Undecodable != "" {
		add(in.broken(Danger, "Rancher cannot decode this object, so that neither refresh nor push happens: "+in.Undecodable,
			Evidence{"wrong type", in.Undecodable, in.at("")}))
	}
	return out
}

func (in *Input) broken(sev Severity, summary string, ev ...Evidence) Finding {
	return Finding{Severity: sev, Status: Present, Summary: summary, Evidence: ev,
		Window: Window{From: in.Now, Reason: "open until it is corrected (since when is not recorded)"}}
}

func (in *Input) settingFindings() []Finding {
	set := in.Snapshot.Setting
	if set.Unreadable != "" {
		f := in.broken(Info, fmt.Sprintf("unknown: Setting %s could not be read (%s); %d seconds are assumed", set.Name, set.Unreadable, 300),
			Evidence{"not read", set.Unreadable, hosted.SettingLabel(set.Name)})
		f.Status = Unknown
		return []Finding{f}
	}
	value := set.Effective()
	ev := Evidence{"interval", value, hosted.SettingLabel(set.Name) + " value, else default"}
	var f Finding
	switch n := in.Schedule.IntervalSeconds; {
	case n == nil:
		f = in.broken(Danger, fmt.Sprintf("Setting %s is %s and not a whole number of seconds: no %s cluster is ever refreshed", set.Name, quoted(value), in.Snapshot.Provider), ev)
	case *n <= 0:
		f = in.broken(Warning, fmt.Sprintf("Setting %s is %d: every %s cluster is refreshed without pause", set.Name, *n, in.Snapshot.Provider), ev)
	case *n > longInterval:
		f = in.broken(Warning, fmt.Sprintf("Setting %s is %d seconds: changes in the cloud stay unseen for more than a day", set.Name, *n), ev)
	default:
		return nil
	}
	if set.Source == "env" {
		f.Evidence = append(f.Evidence, Evidence{"decided by", "the environment of the Rancher pods, variable CATTLE_" +
			strings.ToUpper(strings.ReplaceAll(set.Name, "-", "_")), hosted.SettingLabel(set.Name) + " source"})
		return []Finding{f}
	}
	f.remedies(remedy{command("kubectl", "patch", "settings.management.cattle.io", set.Name, "--type=merge", "-p", `{"value":"300"}`),
		"set the interval to 300 seconds, for all clusters of the provider"})
	return []Finding{f}
}

func (in *Input) annotationFindings() []Finding {
	mark := in.Snapshot.Refresh
	if !mark.Present || mark.Annotation == "" {
		return nil
	}
	ev := Evidence{"refresh annotation", mark.Annotation, in.at("metadata.annotations[" + hosted.RefreshAnnotation + "]")}
	var f Finding
	switch last := in.Schedule.LastUnix; {
	case last == nil:
		f = in.broken(Danger, fmt.Sprintf("the refresh annotation is %s and not a time: this cluster is never refreshed", quoted(mark.Annotation)), ev)
	case *last > in.Now.Add(time.Minute).Unix() && !in.Schedule.Due:
		f = in.broken(Warning, "the refresh annotation lies in the future: no refresh happens before that time and the interval are over", ev)
		f.Evidence = append(f.Evidence, Evidence{"server time", stamp(in.Now), "clock of the management server"})
		if next, ok := in.nextRefresh(); ok {
			f.Window.Until, f.Window.Reason = &next, "closes with the refresh due "+stamp(next)
		}
	default:
		return nil
	}
	f.remedies(remedy{
		in.mergePatch(removeAnnotation()),
		"remove the annotation: Rancher refreshes at once and writes a new one",
	})
	return []Finding{f}
}

func (in *Input) driverFindings() []Finding {
	s := in.Snapshot
	var out []Finding
	if len(s.ConfigsPresent) > 1 {
		names := make([]string, 0, len(s.ConfigsPresent))
		for _, p := range s.ConfigsPresent {
			names = append(names, p.ConfigKey())
		}
		out = append(out, in.broken(Warning, fmt.Sprintf("the cluster has %s: Rancher acts on %s and ignores the rest", strings.Join(names, " and "), names[0]),
			Evidence{"Configs present", strings.Join(names, ", "), in.at("spec")}))
	}
	if s.Driver != "" && s.Driver != string(s.Provider) {
		what := "no cloud is read"
		if p, ok := hosted.ParseProvider(s.Driver); ok && string(p) == s.Driver {
			what = "the cloud of another provider is asked, or Rancher's handler crashes"
		}
		out = append(out, in.broken(Danger, fmt.Sprintf("the driver is %s and the Config is %s: %s", quoted(s.Driver), s.Provider.ConfigKey(), what),
			Evidence{"driver", s.Driver, in.at("status.driver")}, Evidence{"Config present", s.Provider.ConfigKey(), in.at("spec")}))
	}
	return out
}
