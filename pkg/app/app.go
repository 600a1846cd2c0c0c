package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher"
	"github.com/hostedsync/kubectl-hostedsync/pkg/report"
	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// Env is everything that comes from outside.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	// LookupEnv reads an environment variable.
	LookupEnv func(string) (string, bool)
	// Now is the local clock, used where no server tells the time.
	Now func() time.Time
	// Terminal tells whether Out is one, Width is its width in cells or 0.
	Terminal bool
	Width    int
	// Interactive tells whether somebody can be asked: In is a terminal.
	Interactive bool
	// Random makes short random names; nil takes the system's randomness.
	Random func() string
	// Program is the name by which the program was called.
	Program string
}

// completionShim is the name by which kubectl calls for completions.
const completionShim = "kubectl_complete-hostedsync"

// Main runs one command line and returns the exit code.
func Main(ctx context.Context, env Env, args []string) int {
	if strings.HasPrefix(env.Program, completionShim) {
		args = append([]string{cobra.ShellCompRequestCmd}, args...)
	}
	root := newRoot(&env)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	code := exitCode(ctx, err)
	var s *report.StatusError
	if err != nil && code != report.ExitInterrupted && !(errors.As(err, &s) && s.Err == nil) {
		fmt.Fprintf(env.Err, "error: %s\n", termsafe.Line(report.MaskText(strings.TrimSpace(err.Error()))))
	}
	return code
}

// exitCode maps what a command returned to the table of exit codes.
func exitCode(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return report.ExitClean
	case errors.Is(err, context.Canceled), errors.Is(ctx.Err(), context.Canceled):
		return report.ExitInterrupted
	case errors.Is(err, context.DeadlineExceeded), rancher.KindOf(err) == rancher.Timeout:
		return report.ExitTimeout
	}
	return report.CodeOf(err)
}

// newRoot builds the command tree.
func newRoot(env *Env) *cobra.Command {
	g := newGlobal(env)
	get := newGet(g)
	root := &cobra.Command{
		Use:   "kubectl-hostedsync",
		Short: "See what a hosted Kubernetes cluster will become, before it hurts",
		Long: `Rancher keeps a Config (what is asked for) and an UpstreamSpec (its last reading of
the cloud) for every EKS, AKS, GKE and ACK cluster, and every few minutes one
overwrites the other. This plugin compares them field by field, says what
overwrites what and when, and what an edit would push along with itself.

Without a command it prints "get". What changes something (sync, set, manage,
unmanage, restore) asks first, refuses what is not safe, and verifies what it did.`,
		Example: `  # the fleet at a glance
  kubectl hostedsync get

  # everything above without a cluster
  kubectl hostedsync demo`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl hostedsync"},
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownVerb,
		RunE:          get.RunE,
	}
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Hidden: true, Use: "no-help"})
	g.addFlags(root.PersistentFlags())
	root.AddCommand(get, newDiff(g), newPredict(g), newRisk(g), newSync(g), newSet(g), newManage(g), newUnmanage(g), newRestore(g), newJournal(g),
		newWait(g), newWatch(g), newExplain(g), newVersion(g), newCompletion(g), newDemo(g))
	return root
}

// unknownVerb refuses a first word that is no verb, with the likely ones.
func unknownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	near := cmd.SuggestionsFor(args[0])
	text := fmt.Sprintf("unknown command %q", args[0])
	if len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usage(cmd, text)
}

// flagError keeps errors in flags apart from exit code 1.
func flagError(cmd *cobra.Command, err error) error {
	return usage(cmd, err.Error())
}

// usage is an error in the command line.
func usage(cmd *cobra.Command, text string) error {
	return &report.StatusError{Code: report.ExitError, Err: fmt.Errorf("%s (see '%s --help')", text, cmd.CommandPath())}
}
