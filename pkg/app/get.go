package app

import (
	"github.com/spf13/cobra"

	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
)

func newGet(g *global) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "get [NAME…]",
		Aliases: []string{"list", "ls"},
		Short:   "List the hosted clusters with drift, risk and the next refresh",
		Long: `Lists the hosted clusters: provider, region, version, how many fields the Config
manages, in how many places Config and the reading of the cloud differ, the worst
finding, and when Rancher reads the cloud next.

A name is the Cluster object's (c-xxxxx) or its display name.`,
		Example: `  kubectl hostedsync get
  kubectl hostedsync get -l env=prod -o wide
  kubectl hostedsync get -f dump.yaml -o json`,
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
		list := report.NewClusterList(l.views, l.unread, g.showAll || len(args) > 0, l.now)
		if p.ForPeople() && len(list.Items) == 0 {
			g.say("no hosted clusters found")
		} else if err := p.Write(g.env.Out, list); err != nil {
			return err
		}
		if p.ForPeople() && list.NotHosted > 0 {
			g.say("%d not hosted (RKE2, K3s, imported, local …): --show-all lists them", list.NotHosted)
		}
		return g.finish(l.unread, report.ExitClean)
	}
	return cmd
}
