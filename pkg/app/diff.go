package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

func newDiff(g *global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff [NAME…]",
		Short: "Compare Config, UpstreamSpec and the live cloud, field by field",
		Long: `Shows every place at which a cluster's copies differ, under its merge unit (the
top-level field that Rancher replaces whole), with who owns the unit and what the
next refresh does to it. List items are matched by name; a change of order alone
is marked as such.

Exits with 0 without differences, 1 with, and more than 1 on an error. With
KUBECTL_EXTERNAL_DIFF set, that command compares two files a cluster: the effective
Config (the UpstreamSpec under what the Config manages) and the cloud.`,
		Example: `  kubectl hostedsync diff atlas
  kubectl hostedsync diff -f cluster.yaml --live-from cloud.json
  kubectl hostedsync diff --show-all atlas -o yaml`,
		ValidArgsFunction: g.completeNames,
	}
	g.addInput(cmd.Flags())
	g.addOutput(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := g.printer(cmd)
		if err != nil {
			return err
		}
		l, err := g.load(cmd.Context(), args)
		if err != nil {
			return err
		}
		g.passedOver(l, args)
		code := report.ExitClean
		list := report.NewFieldDiffList(l.views, l.unread, g.showAll)
		if list.Any() {
			code = report.ExitDifferences
		}
		if external, ok := g.env.LookupEnv("KUBECTL_EXTERNAL_DIFF"); ok && strings.TrimSpace(external) != "" && g.output == "" {
			if err := g.externalDiff(cmd.Context(), external, l.views); err != nil {
				return err
			}
			return g.finish(l.unread, code)
		}
		if err := p.Write(g.env.Out, list); err != nil {
			return err
		}
		return g.finish(l.unread, code)
	}
	return cmd
}

// safeArgument is the filter that kubectl applies to the external command's
// arguments.
var safeArgument = regexp.MustCompile(`^[a-zA-Z0-9-=]+$`)

// externalDiff runs the user's own diff command on two folders with a file for
// each cluster. Its exit code 1 means differences, which the caller knows.
func (g *global) externalDiff(ctx context.Context, command string, views []report.View) error {
	dir, err := os.MkdirTemp("", "hostedsync-diff-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	config, cloud := filepath.Join(dir, "CONFIG"), filepath.Join(dir, "CLOUD")
	for _, d := range []string{config, cloud} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	for _, v := range views {
		if !v.Snapshot.Hosted() {
			continue
		}
		name := strings.NewReplacer("/", "_", string(filepath.Separator), "_").Replace(v.Snapshot.Name) + ".yaml"
		if err := writeYAML(filepath.Join(config, name), effective(v)); err != nil {
			return err
		}
		if err := writeYAML(filepath.Join(cloud, name), v.Cloud.Spec); err != nil {
			return err
		}
	}
	words := strings.Fields(command)
	args := []string{}
	for _, w := range words[1:] {
		if safeArgument.MatchString(w) {
			args = append(args, w)
		}
	}
	c := exec.CommandContext(ctx, words[0], append(args, config, cloud)...)
	c.Stdout, c.Stderr = g.env.Out, g.env.Err
	var exit *exec.ExitError
	switch err := c.Run(); {
	case err == nil, errors.As(err, &exit) && exit.ExitCode() == 1:
		return nil
	default:
		return fmt.Errorf("KUBECTL_EXTERNAL_DIFF %q failed: %w", words[0], err)
	}
}

// effective is the UpstreamSpec with what the Config manages laid over it: what the
// Config leaves to the cloud is then no difference.
func effective(v report.View) map[string]any {
	out := map[string]any{}
	maps.Copy(out, v.Snapshot.Upstream)
	for k, e := range v.Snapshot.Config {
		if f, known := v.Table.Unit(k); known && f.Managed(e) || !known && e != nil {
			out[k] = e
		}
	}
	return out
}

// writeYAML writes a spec such that its lines can go to a terminal.
func writeYAML(path string, spec map[string]any) error {
	text, err := yaml.Marshal(report.Mask(spec))
	if err != nil {
		return err
	}
	var safe strings.Builder
	for line := range strings.Lines(string(text)) {
		safe.WriteString(termsafe.Line(strings.TrimSuffix(line, "\n")).String() + "\n")
	}
	return os.WriteFile(path, []byte(safe.String()), 0o600)
}
