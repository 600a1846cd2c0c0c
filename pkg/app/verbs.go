package app

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/journal"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/resync"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// guarded is what all verbs that change something have in common, for their help.
const guarded = `

The change is guarded. It is refused, with the reasons and exit code 3, where it is
not safe: while the operator is at work, on a frozen cluster, where it would push
fields that nobody named (--allow-collateral accepts them), when nobody would carry
it out. Rancher reads the cloud first, so that nothing that others changed there is
undone; the write is one patch with the resourceVersion that was judged; afterwards
it is followed until Applied equals Config and a newer refresh agrees. Every change
is recorded first (see journal), and can be undone (see restore).`

func (g *global) addSelector(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&g.selector, "selector", "l", "", "only clusters whose labels match, for example team=blue,env!=test")
	f.StringVar(&g.liveFrom, "live-from", "", "take the cloud's spec from this file (JSON or YAML): one spec for one cluster, or a map from cluster name to spec")
	g.addOutput(f)
	cmd.ValidArgsFunction = g.completeNames
}

func newSync(g *global) *cobra.Command {
	o := &changeOptions{}
	var refresh, push, upstreamOnly bool
	var adopt []string
	cmd := &cobra.Command{
		Use:   "sync NAME… --refresh|--adopt|--push [FIELD…]",
		Short: "Bring Config and cloud together, in the direction you say",
		Long: `Brings Rancher's Config and the cloud together:

  --refresh        Rancher reads the cloud now: the cloud's values replace the
                   managed ones of the Config
  --adopt [FIELD…] the Config says what the cloud has; on a cluster that is frozen by
                   a failed update too, where a refresh would not do it
  --push [FIELD…]  the operator enforces the Config now; the cloud must have been read
                   (--live-from), so that it is known what that destroys

An argument that is a field of a Config is one, unless it stands alone; everything
else is a cluster.` + guarded,
		Example: `  kubectl hostedsync sync atlas-prod --refresh
  kubectl hostedsync sync -l env=prod --refresh --yes --max-parallel 8
  kubectl hostedsync sync basalt-prod --adopt nodeGroups --dry-run=client
  kubectl hostedsync sync atlas-prod --push tags --live-from cloud.json`,
	}
	f := cmd.Flags()
	f.BoolVar(&refresh, "refresh", false, "make Rancher read the cloud now")
	f.StringSliceVar(&adopt, "adopt", nil, "make the Config say what the cloud has: for the fields given, or for all that differ")
	f.Lookup("adopt").NoOptDefVal = "*"
	f.BoolVar(&push, "push", false, "make the operator enforce the Config now")
	f.BoolVar(&upstreamOnly, "upstream-only", false, "accept that refreshing a frozen cluster renews the UpstreamSpec only")
	o.addFlags(f)
	g.addSelector(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		base, err := o.base()
		if err != nil {
			return usage(cmd, err.Error())
		}
		base.UpstreamOnly = upstreamOnly
		args, fields := fieldsAmong(args)
		adopt = append(adopt, fields...)
		adopts := cmd.Flags().Changed("adopt")
		switch {
		case refresh && !adopts && !push:
			base.Verb = resync.Refresh
		case adopts && !refresh && !push:
			base.Verb, base.Fields = resync.Adopt, without(adopt, "*")
		case push && !adopts && !refresh:
			base.Verb, base.Fields = resync.Push, fields
		default:
			return usage(cmd, "say in which direction: one of --refresh, --adopt, --push")
		}
		if refresh && len(fields) > 0 {
			return usage(cmd, "a refresh concerns all managed fields: leave out "+strings.Join(fields, ", "))
		}
		return g.runChange(cmd, o, base, args)
	}
	return cmd
}

// fieldsAmong tells arguments that are fields of some provider's Config from
// clusters. One that stands alone is a cluster.
func fieldsAmong(args []string) (names, fields []string) {
	for _, a := range args {
		if len(args) > 1 && isField(a) {
			fields = append(fields, a)
		} else {
			names = append(names, a)
		}
	}
	return names, fields
}

func isField(text string) bool {
	path, err := hosted.ParsePath(text)
	if err != nil {
		return false
	}
	name := path.MergeUnit()
	for _, p := range hosted.Providers() {
		if _, ok := schema.For(p).Unit(name); ok {
			return true
		}
	}
	return false
}

func without(list []string, gone string) []string {
	var out []string
	for _, s := range list {
		if s != gone {
			out = append(out, s)
		}
	}
	return out
}

// runChange runs a verb that wants the same of every cluster.
func (g *global) runChange(cmd *cobra.Command, o *changeOptions, in resync.Intent, names []string) error {
	c, err := g.newChange(cmd, o, in.Verb, cmdline(cmd, names))
	if err != nil {
		return err
	}
	c.intent = func(*hosted.Snapshot) (resync.Intent, error) { return in, nil }
	return c.run(cmd.Context(), names)
}

// cmdline is how a verb was called, for the journal: arguments and changed flags.
func cmdline(cmd *cobra.Command, args []string) []string {
	out := append([]string{}, args...)
	for _, name := range []string{"refresh", "adopt", "push", "field", "upstream-only", "allow-collateral", "wait-settled", "wait", "change", "selector"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			out = append(out, "--"+name+"="+f.Value.String())
		}
	}
	return out
}

func newSet(g *global) *cobra.Command {
	o := &changeOptions{}
	cmd := &cobra.Command{
		Use:   "set NAME… path=value…",
		Short: "Edit fields of the Config, and nothing else",
		Long: `Sets fields of the Config. Paths and values are as predict's --set takes them:
tags.team=blue, 'nodeGroups[workers].desiredSize=5', kubernetesVersion=1.34; null
unsets, JSON sets lists and objects. Setting a part of a field that is unmanaged
makes the whole field managed, starting from the cloud's value.` + guarded,
		Example: `  kubectl hostedsync set atlas-prod tags.team=blue
  kubectl hostedsync set atlas-prod 'nodeGroups[workers].desiredSize=5' --dry-run=client
  kubectl hostedsync set -l env=prod tags.cost-center=4711 --yes`,
	}
	o.addFlags(cmd.Flags())
	g.addSelector(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		base, err := o.base()
		if err != nil {
			return usage(cmd, err.Error())
		}
		base.Verb = resync.Set
		var names []string
		for _, a := range args {
			if !strings.Contains(a, "=") {
				names = append(names, a)
				continue
			}
			set, err := predict.ParseAssignment(a)
			if err != nil {
				return usage(cmd, err.Error())
			}
			base.Edit.Set = append(base.Edit.Set, set)
		}
		if len(base.Edit.Set) == 0 {
			return usage(cmd, "say what to set: path=value")
		}
		c, err := g.newChange(cmd, o, base.Verb, cmdline(cmd, args))
		if err != nil {
			return err
		}
		c.intent = func(*hosted.Snapshot) (resync.Intent, error) { return base, nil }
		return c.run(cmd.Context(), names)
	}
	return cmd
}

func newManage(g *global) *cobra.Command {
	o := &changeOptions{}
	var fields []string
	cmd := &cobra.Command{
		Use:   "manage NAME… FIELD…",
		Short: "Take unmanaged fields into the Config, with the cloud's values",
		Long: `Takes fields that are null in the Config into it, with the values that the cloud
has. From then on they are managed: enforced by every push, and replaced by every
refresh.` + guarded,
		Example: `  kubectl hostedsync manage meadow-prod tags
  kubectl hostedsync manage meadow-prod tags kubernetesVersion --dry-run=client`,
	}
	cmd.Flags().StringSliceVar(&fields, "field", nil, "the top-level fields (repeatable), as an argument or here")
	o.addFlags(cmd.Flags())
	g.addSelector(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		base, err := o.base()
		args, named := fieldsAmong(args)
		fields = append(fields, named...)
		if err == nil && len(fields) == 0 {
			err = fmt.Errorf("name the fields after the cluster, or with --field")
		}
		if err != nil {
			return usage(cmd, err.Error())
		}
		base.Verb, base.Fields = resync.Manage, fields
		return g.runChange(cmd, o, base, args)
	}
	return cmd
}

func newUnmanage(g *global) *cobra.Command {
	o := &changeOptions{}
	var fields []string
	cmd := &cobra.Command{
		Use:   "unmanage NAME… FIELD…",
		Short: "Leave fields to the cloud: null in the Config",
		Long: `Sets fields of the Config to null. The cloud's values stand from then on: nothing
enforces them, and a refresh does not put them back into the Config.` + guarded,
		Example: `  kubectl hostedsync unmanage atlas-prod nodeGroups
  kubectl hostedsync unmanage -l team=blue --field tags --yes`,
	}
	cmd.Flags().StringSliceVar(&fields, "field", nil, "the top-level fields (repeatable), as an argument or here")
	o.addFlags(cmd.Flags())
	g.addSelector(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		base, err := o.base()
		args, named := fieldsAmong(args)
		fields = append(fields, named...)
		if err == nil && len(fields) == 0 {
			err = fmt.Errorf("name the fields after the cluster, or with --field")
		}
		for _, s := range fields {
			p, perr := hosted.ParsePath(s)
			if err = firstError(err, perr); err == nil {
				base.Edit.Unmanage = append(base.Edit.Unmanage, p)
			}
		}
		if err != nil {
			return usage(cmd, err.Error())
		}
		base.Verb = resync.Unmanage
		return g.runChange(cmd, o, base, args)
	}
	return cmd
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func newRestore(g *global) *cobra.Command {
	o := &changeOptions{}
	id := ""
	cmd := &cobra.Command{
		Use:   "restore NAME",
		Short: "Undo a journalled change: put the fields back to what it found",
		Long: `Puts the fields of the Config that a change touched back to what they were before
it. Without --change that is the latest change of the cluster that was, or may have
been, stored. Fields that somebody else has changed since are refused.` + guarded,
		Example: `  kubectl hostedsync restore atlas-prod
  kubectl hostedsync restore atlas-prod --change 20260310-110312.480-0b7c21de`,
		Args: exactlyOneName,
	}
	cmd.Flags().StringVar(&id, "change", "", "the change to undo, as journal lists it")
	o.addFlags(cmd.Flags())
	g.addSelector(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		base, err := o.base()
		if err != nil {
			return usage(cmd, err.Error())
		}
		c, err := g.newChange(cmd, o, resync.Restore, cmdline(cmd, args))
		if err != nil {
			return err
		}
		base.Verb = resync.Restore
		c.intent = func(s *hosted.Snapshot) (resync.Intent, error) {
			in := base
			in.Restore, err = undoable(c.dir, s, id)
			return in, err
		}
		return c.run(cmd.Context(), args)
	}
	return cmd
}

// undoable finds the change that restore undoes.
func undoable(dir string, s *hosted.Snapshot, id string) (*resync.Entry, error) {
	all, err := journal.List(dir, s.Name)
	if err != nil && len(all) == 0 {
		return nil, err
	}
	for i := len(all) - 1; i >= 0; i-- {
		c := &all[i]
		e, wrote := c.Write()
		switch {
		case id != "" && c.ID != id, id == "" && (!wrote || c.Ended() && !mayHaveWritten(c.Last().Outcome)):
			continue
		case !wrote:
			return nil, fmt.Errorf("change %s did not write to the Config: there is nothing to undo", c.ID)
		case e.UID != "" && s.UID != "" && e.UID != s.UID:
			return nil, fmt.Errorf("change %s was made to another cluster of that name", c.ID)
		}
		return &e, nil
	}
	if id != "" {
		return nil, fmt.Errorf("the journal has no change %s of %s; list them with: journal %s", id, s.Name, s.Name)
	}
	return nil, fmt.Errorf("the journal has no change of %s that wrote to its Config", s.Name)
}

// mayHaveWritten tells whether a change that announced a write and ended so may have
// made it.
func mayHaveWritten(o resync.Outcome) bool { return o.Wrote() || o == resync.Interrupted }

// kubectlPatch is the command that sends the same patch.
func kubectlPatch(s *hosted.Snapshot, operator bool, patch map[string]any) string {
	body, err := json.Marshal(patch)
	if err != nil {
		return ""
	}
	target := "clusters.management.cattle.io " + s.Name
	if operator {
		target = rancher.OperatorResources(s.Provider).String() + " -n " + rancher.GlobalNamespace + " " + s.Name
	}
	return "kubectl patch " + target + " --type=merge -p '" + strings.ReplaceAll(string(body), "'", `'\''`) + "'"
}
