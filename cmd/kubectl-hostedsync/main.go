// Command kubectl-hostedsync is a kubectl plugin that compares what Rancher wants
// of a hosted cluster with what the cloud has, and says what happens next.
package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/term"

	_ "k8s.io/client-go/plugin/pkg/client/auth" // login plugins of kubeconfigs

	"github.com/hostedsync/kubectl-hostedsync/pkg/app"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	out := int(os.Stdout.Fd())
	env := app.Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		LookupEnv: os.LookupEnv, Now: time.Now,
		Terminal: term.IsTerminal(out), Interactive: term.IsTerminal(int(os.Stdin.Fd())), Program: filepath.Base(os.Args[0]),
	}
	if width, _, err := term.GetSize(out); err == nil {
		env.Width = width
	}
	return app.Main(ctx, env, os.Args[1:])
}
