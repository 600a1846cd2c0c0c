package app

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// Set by the linker in released binaries.
var (
	version = ""
	commit  = ""
)

// versionInfo is what version says.
type versionInfo struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Client     clientVersion  `json:"client"`
	Server     *serverVersion `json:"server,omitempty"`
}

type clientVersion struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

type serverVersion struct {
	Rancher   string           `json:"rancher"`
	Operators []operatorSchema `json:"operators"`
}

// operatorSchema compares an operator's installed resource definition with the
// built-in field table.
type operatorSchema struct {
	Provider  string `json:"provider"`
	Installed bool   `json:"installed"`
	// Schema is "read", or why it was not.
	Schema string `json:"schema"`
	// Unknown are fields that only the server knows, Pruned such that only this
	// program knows: the server drops them on their way to the operator.
	Unknown []string `json:"unknown"`
	Pruned  []string `json:"pruned"`
}

func newVersion(g *global) *cobra.Command {
	clientOnly := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the plugin, of Rancher and of its operators' schemas",
		Long: `Prints the plugin's version and, if a management cluster answers, Rancher's, and
how the installed schema of each operator differs from the field tables built in
here: a newer operator has fields that this version only compares, an older one
drops fields that Rancher sends.`,
		Example: `  kubectl hostedsync version
  kubectl hostedsync version --client -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(cmd, "version takes no arguments")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := versionInfo{APIVersion: report.APIVersion, Kind: "Version", Client: thisClient()}
			var failed error
			if !clientOnly {
				v.Server, failed = g.serverVersion(cmd.Context())
			}
			if err := g.printVersion(cmd, v); err != nil {
				return err
			}
			if failed != nil {
				return fmt.Errorf("the server's version is not known: %w", failed)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&clientOnly, "client", false, "only the plugin's own version; no server is asked")
	cmd.Flags().StringVarP(&g.output, "output", "o", "", "output format: json or yaml")
	return cmd
}

func thisClient() clientVersion {
	c := clientVersion{Version: version, Commit: commit, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok && c.Version == "" {
		c.Version = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				c.Commit = s.Value
			}
		}
	}
	return c
}

func (g *global) printVersion(cmd *cobra.Command, v versionInfo) error {
	switch g.output {
	case "json":
		text, err := json.MarshalIndent(v, "", "    ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(g.env.Out, string(text))
		return err
	case "yaml":
		text, err := yaml.Marshal(v)
		if err != nil {
			return err
		}
		_, err = g.env.Out.Write(text)
		return err
	case "":
		return g.versionText(v)
	}
	return usage(cmd, fmt.Sprintf("unknown output format %q: use json or yaml", g.output))
}

func (g *global) versionText(v versionInfo) error {
	w := g.env.Out
	_, err := fmt.Fprintf(w, "Client: %s (%s, %s/%s)\n", v.Client.Version, v.Client.Go, v.Client.OS, v.Client.Arch)
	if v.Server == nil {
		return err
	}
	fmt.Fprintf(w, "Rancher: %s\n", termsafe.Line(v.Server.Rancher))
	for _, o := range v.Server.Operators {
		text := "not installed"
		switch {
		case o.Installed && o.Schema != "read":
			text = "installed; schema not read: " + o.Schema
		case o.Installed && len(o.Unknown)+len(o.Pruned) == 0:
			text = "installed; its schema is the one built in here"
		case o.Installed:
			text = fmt.Sprintf("installed; unknown to this version: %v; pruned by the server: %v", o.Unknown, o.Pruned)
		}
		fmt.Fprintf(w, "%s operator: %s\n", o.Provider, termsafe.Line(text))
	}
	return err
}

func (g *global) serverVersion(ctx context.Context) (*serverVersion, error) {
	c, err := rancher.Connect(g.config.ToRawKubeConfigLoader(), userAgent)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	installed, err := c.Installed(ctx)
	if err != nil {
		return nil, err
	}
	if !installed.Management {
		return nil, fmt.Errorf("%s is not a Rancher management cluster: it has no %s API; point --context at Rancher's local cluster", c.Host(), rancher.ManagementGroup)
	}
	out := &serverVersion{Rancher: "unknown"}
	if s, err := c.Get(ctx, rancher.Settings(), hosted.VersionSetting); err == nil {
		out.Rancher = termsafe.Line(hosted.Str(s["value"])).String()
	}
	for _, p := range hosted.Providers() {
		out.Operators = append(out.Operators, compareSchema(ctx, c, p, installed.Operators[p]))
	}
	return out, nil
}

func compareSchema(ctx context.Context, c *rancher.Client, p hosted.Provider, installed bool) operatorSchema {
	o := operatorSchema{Provider: p.String(), Installed: installed, Unknown: []string{}, Pruned: []string{}}
	if !installed {
		return o
	}
	crd, err := c.Schema(ctx, p)
	if err != nil {
		o.Schema = err.Error()
		return o
	}
	o.Schema = "read"
	compareFields(&o, schema.For(p).Root, crd, "")
	slices.Sort(o.Unknown)
	slices.Sort(o.Pruned)
	return o
}

// compareFields walks a field table beside an OpenAPI schema.
func compareFields(o *operatorSchema, f schema.Field, crd map[string]any, at string) {
	if keep, _ := crd["x-kubernetes-preserve-unknown-fields"].(bool); keep {
		return
	}
	switch f.Kind {
	case schema.List:
		compareFields(o, *f.Elem, hosted.Map(crd["items"]), at+"[]")
	case schema.Object:
		properties := hosted.Map(crd["properties"])
		for name := range properties {
			if _, ok := f.Member(name); !ok {
				o.Unknown = append(o.Unknown, termsafe.Line(join(at, name)).String())
			}
		}
		for _, m := range f.Fields {
			sub, ok := properties[m.Name]
			if !ok {
				o.Pruned = append(o.Pruned, join(at, m.Name))
				continue
			}
			compareFields(o, m, hosted.Map(sub), join(at, m.Name))
		}
	}
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
