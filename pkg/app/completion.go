package app

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// completionTime bounds how long a completion may ask the server.
const completionTime = "3s"

func newCompletion(g *global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion [bash|zsh|fish|powershell]",
		Short: "Print a completion script, or install kubectl's completion shim",
		Long: `Prints a completion script for the binary itself. For "kubectl hostedsync <TAB>",
kubectl looks for an executable named kubectl_complete-hostedsync on the PATH;
"completion install DIR" writes one.`,
		Example: `  source <(kubectl-hostedsync completion bash)
  kubectl hostedsync completion install ~/.local/bin`,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell", "install"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(cmd, "name one shell: bash, zsh, fish or powershell")
			}
			root, w := cmd.Root(), g.env.Out
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(w, true)
			case "zsh":
				return root.GenZshCompletion(w)
			case "fish":
				return root.GenFishCompletion(w, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(w)
			}
			return usage(cmd, fmt.Sprintf("unknown shell %q: use bash, zsh, fish or powershell", args[0]))
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:     "install DIR",
		Short:   "Write kubectl_complete-hostedsync into a folder that is on the PATH",
		Example: `  kubectl hostedsync completion install ~/.local/bin`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(cmd, "name one folder that is on the PATH")
			}
			path := filepath.Join(args[0], completionShim)
			const shim = "#!/bin/sh\nexec kubectl hostedsync " + cobra.ShellCompRequestCmd + " \"$@\"\n"
			if err := os.WriteFile(path, []byte(shim), 0o755); err != nil {
				return fmt.Errorf("cannot write the completion shim: %w", err)
			}
			_, err := fmt.Fprintln(g.env.Out, path)
			return err
		},
	})
	return cmd
}

// completeNames offers cluster names, quickly or not at all.
func (g *global) completeNames(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	if *g.config.Timeout == "0" {
		*g.config.Timeout = completionTime
	}
	if parent := cmd.Parent(); parent != nil && parent.PersistentPreRunE != nil {
		if err := parent.PersistentPreRunE(cmd, nil); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
	src, err := g.source()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	f, err := src.read(cmd.Context(), query{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, s := range f.snapshots {
		if s.Hosted() {
			out = append(out, s.Name+"\t"+s.DisplayName)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
