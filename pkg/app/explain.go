package app

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/race"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher/rbac"
	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

func newExplain(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [HSnnn | PROVIDER.FIELD | EXIT CODE | REASON | roles]",
		Short: "Explain a rule, a field, an exit code or a refusal; print the roles",
		Long: `Explains a rule by its code (HS001), a field of a provider's Config
(eks.nodeGroups, or just nodeGroups for every provider that has it), an exit code
(3), a reason for a refusal or an outcome (unpushed-edit, verified). "explain roles"
prints the Kubernetes roles that the program needs, as YAML to apply. Without an
argument it lists the rules.`,
		Example: `  kubectl hostedsync explain HS001
  kubectl hostedsync explain eks.privateAccess
  kubectl hostedsync explain 4
  kubectl hostedsync explain collateral
  kubectl hostedsync explain roles | kubectl apply -f -`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(cmd, "explain takes one thing at a time")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var out []string
			for _, r := range race.Rules() {
				out = append(out, r.Code+"\t"+r.Title)
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			text := ruleList()
			if len(args) == 1 {
				var ok bool
				if text, ok = explain(args[0]); !ok {
					return usage(cmd, fmt.Sprintf("there is nothing to explain about %q: give a rule (HS001), a field (eks.tags), an exit code (3), a reason (collateral) or roles", args[0]))
				}
			}
			_, err := fmt.Fprint(g.env.Out, text)
			return err
		},
	}
}

func ruleList() string {
	var b strings.Builder
	for _, r := range race.Rules() {
		fmt.Fprintf(&b, "%s  %-8s  %s\n", r.Code, r.Severity, r.Title)
	}
	return b.String()
}

func explain(what string) (string, bool) {
	if e, ok := race.Explain(strings.ToUpper(what)); ok {
		return e.Text(), true
	}
	for _, e := range report.Exits() {
		if what == fmt.Sprint(e.Code) {
			return fmt.Sprintf("exit code %d: %s\n  %s\n", e.Code, e.Name, e.Meaning), true
		}
	}
	if text, ok := resync.ExplainCode(what); ok {
		return text, true
	}
	if what == "roles" {
		return rbac.Read() + "---\n" + rbac.Sync(), true
	}
	return explainField(what)
}

// explainField looks the field up in one provider's table, or in all.
func explainField(what string) (string, bool) {
	providers := hosted.Providers()
	path := what
	if first, rest, ok := strings.Cut(what, "."); ok {
		if p, known := hosted.ParseProvider(first); known {
			providers, path = []hosted.Provider{p}, rest
		}
	}
	var b strings.Builder
	for _, p := range providers {
		if f, ok := findField(schema.For(p), path); ok {
			describeField(&b, p, path, f)
		}
	}
	return b.String(), b.Len() > 0
}

// findField takes a path without item names: nodeGroups.desiredSize.
func findField(table schema.Spec, path string) (schema.Field, bool) {
	f := table.Root
	for _, name := range strings.Split(path, ".") {
		if f.Kind == schema.List {
			f = *f.Elem
		}
		m, ok := f.Member(name)
		if !ok {
			return f, false
		}
		f = m
	}
	return f, true
}

func describeField(b *strings.Builder, p hosted.Provider, path string, f schema.Field) {
	fmt.Fprintf(b, "%s %s  (%s)\n", p, path, f.Kind)
	if f.Doc != "" {
		fmt.Fprintf(b, "  %s\n", f.Doc)
	}
	if !strings.Contains(path, ".") {
		if f.Nullable() || f.OmitEmpty {
			b.WriteString("  null means unmanaged\n")
		} else {
			b.WriteString("  never null, so always managed\n")
		}
	}
	fmt.Fprintf(b, "  reading: %s\n  push:    %s\n", f.Source, f.Push)
	if f.Identity != "" {
		fmt.Fprintf(b, "  items are identified by %s\n", f.Identity)
	}
	if f.Unordered {
		b.WriteString("  the cloud treats it as a set; Rancher's refresh compares it in order\n")
	}
	if f.NoUpdate {
		b.WriteString("  Rancher's /v3 API refuses to change it, the Kubernetes API does not\n")
	}
}
