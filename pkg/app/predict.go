package app

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/predict"
	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

// predictOptions are predict's own flags.
type predictOptions struct {
	set        []string
	unmanage   []string
	configFrom string
}

func newPredict(g *global) *cobra.Command {
	o := &predictOptions{}
	cmd := &cobra.Command{
		Use:   "predict NAME",
		Short: "Say what the next refresh does, and what an edit would push",
		Long: `Says when Rancher reads the cloud next and what that does to the Config, exactly as
Rancher's own code decides it. With --set, --unmanage or --config-from it also
says which cloud calls such an edit would cause, in order, and its collateral:
managed fields that nobody edited and that would be pushed all the same, node
groups that would be created or deleted among them.

A value is read by the field's type: kubernetesVersion=1.32 is a string,
desiredSize=3 a number, null unsets, quotes force a string, JSON sets lists and
objects. Setting a part of an unmanaged field starts from the cloud's value.

Nothing is changed. Without --live-from the cloud is taken to be as Rancher last
read it.`,
		Example: `  kubectl hostedsync predict atlas
  kubectl hostedsync predict atlas --set tags.team=blue
  kubectl hostedsync predict atlas --set 'nodeGroups[workers].desiredSize=5' --live-from cloud.json
  kubectl hostedsync predict atlas --unmanage nodeGroups`,
		ValidArgsFunction: g.completeNames,
		Args:              exactlyOneName,
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.set, "set", nil, "consider setting a field of the Config: path=value (repeatable)")
	f.StringArrayVar(&o.unmanage, "unmanage", nil, "consider setting a field of the Config to null (repeatable)")
	f.StringVar(&o.configFrom, "config-from", "", "consider a whole new Config from this file (JSON or YAML)")
	g.addInput(f)
	g.addOutput(f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := g.printer(cmd)
		if err != nil {
			return err
		}
		edit, err := o.edit(g)
		if err != nil {
			return err
		}
		l, err := g.load(cmd.Context(), args)
		if err != nil {
			return err
		}
		if s := l.views[0].Snapshot; edit.Replace != nil && s.Hosted() && !resembles(schema.For(s.Provider), edit.Replace) {
			return fmt.Errorf("--config-from %s: has none of the fields of %s's Config", o.configFrom, s.Provider)
		}
		doc, err := report.NewPrediction(l.views[0], edit, predict.Pushed)
		if err != nil {
			return err
		}
		if err := p.Write(g.env.Out, doc); err != nil {
			return err
		}
		if !p.ForPeople() {
			for _, n := range doc.Push.Notes {
				g.say("note: %s", n.Text)
			}
		}
		return g.finish(l.unread, report.ExitClean)
	}
	return cmd
}

func exactlyOneName(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(cmd, fmt.Sprintf("name one cluster, found %d names", len(args)))
	}
	return nil
}

// edit reads the edit that the flags describe.
func (o *predictOptions) edit(g *global) (predict.Edit, error) {
	var e predict.Edit
	for _, s := range o.set {
		a, err := predict.ParseAssignment(s)
		if err != nil {
			return e, fmt.Errorf("--set %w", err)
		}
		e.Set = append(e.Set, a)
	}
	for _, s := range o.unmanage {
		path, err := hosted.ParsePath(s)
		if err != nil {
			return e, fmt.Errorf("--unmanage %w", err)
		}
		e.Unmanage = append(e.Unmanage, path)
	}
	if o.configFrom == "" {
		return e, nil
	}
	text, err := g.readFile(o.configFrom)
	if err != nil {
		return e, fmt.Errorf("--config-from: %w", err)
	}
	v, err := decodeAny(text)
	if err != nil {
		return e, fmt.Errorf("--config-from %s: %w", o.configFrom, err)
	}
	if kind := hosted.Str(hosted.Map(v)["kind"]); kind != "" {
		return e, fmt.Errorf("--config-from %s: is a %s, not a Config; give the part below spec.eksConfig, spec.aksConfig, …", o.configFrom, kind)
	}
	if e.Replace = hosted.Map(v); e.Replace == nil {
		return e, fmt.Errorf("--config-from %s: want a Config (an object), found %.40s", o.configFrom, hosted.Canonical(v))
	}
	return e, nil
}
