package app

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hostedsync/kubectl-hostedsync/pkg/race"
	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
)

func newRisk(g *global) *cobra.Command {
	failOn, failOnUnknown := "", false
	cmd := &cobra.Command{
		Use:   "risk [NAME…]",
		Short: "Find races: who is about to destroy whose change, until when",
		Long: `Judges each cluster by the rules that "explain" describes. A finding shows its
evidence, the window in which the danger exists, what would be lost, and exact
commands to get out. A rule that would need the live cloud and has no reading of
it answers "unknown", never "safe".`,
		Example: `  kubectl hostedsync risk
  kubectl hostedsync risk atlas --live-from cloud.json
  kubectl hostedsync risk -l env=prod --fail-on=danger -o jsonl`,
		ValidArgsFunction: g.completeNames,
	}
	cmd.Flags().StringVar(&failOn, "fail-on", "", "exit with 1 if a finding is at least this severe: info, warning, danger or critical")
	cmd.Flags().BoolVar(&failOnUnknown, "fail-on-unknown", false, "exit with 1 if a finding is unknown, because what it needs was not read")
	g.addInput(cmd.Flags())
	g.addOutput(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := g.printer(cmd)
		if err != nil {
			return err
		}
		limit := race.Severity(-1)
		if cmd.Flags().Changed("fail-on") {
			if limit, err = race.ParseSeverity(failOn); err != nil {
				return usage(cmd, "--fail-on: "+err.Error())
			}
		}
		l, err := g.load(cmd.Context(), args)
		if err != nil {
			return err
		}
		g.passedOver(l, args)
		r := report.NewRiskReport(l.views, l.unread, l.now)
		if err := p.Write(g.env.Out, r); err != nil {
			return err
		}
		if limit >= 0 && r.Clusters == 0 {
			return fmt.Errorf("--fail-on: no hosted cluster was judged, so nothing can be said; check the names and --selector")
		}
		code := report.ExitClean
		if failOnUnknown && r.Unknown() {
			code = report.ExitDifferences
		}
		if worst, any := r.Worst(); any && limit >= 0 && worst >= limit {
			code = report.ExitDifferences
		}
		return g.finish(l.unread, code)
	}
	return cmd
}
