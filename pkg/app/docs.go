package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// CommandMarkdown is the page about commands in the documentation: what --help
// says, for every verb. It depends on nothing but the code.
func CommandMarkdown() string {
	root := newRoot(&Env{})
	var b strings.Builder
	b.WriteString("# Commands\n\nGenerated from the commands themselves (`make docs`).\n\n")
	b.WriteString(root.Long + "\n\n")
	writeExample(&b, root)
	shared, connection := sharedFlags(root)
	b.WriteString("Every verb takes these flags,\n\n")
	writeFlags(&b, shared)
	fmt.Fprintf(&b, "\nand kubectl's own for the connection: %s.\n", strings.Join(connection, ", "))
	for _, cmd := range root.Commands() {
		writeCommand(&b, cmd)
	}
	return b.String()
}

func writeCommand(b *strings.Builder, cmd *cobra.Command) {
	if cmd.Hidden {
		return
	}
	level := "##"
	if cmd.Parent().HasParent() {
		level = "###"
	}
	fmt.Fprintf(b, "\n%s %s\n\n%s.\n\n", level, strings.TrimPrefix(cmd.CommandPath(), "kubectl hostedsync "), cmd.Short)
	fmt.Fprintf(b, "    %s\n\n", cmd.UseLine())
	if strings.HasPrefix(cmd.CommandPath(), "kubectl hostedsync demo ") {
		fmt.Fprintf(b, "As [%s](#%s), on the demo's fleet.\n", cmd.Name(), cmd.Name())
		return
	}
	if cmd.Long != "" {
		b.WriteString(cmd.Long + "\n\n")
	}
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(b, "Also called %s.\n\n", strings.Join(cmd.Aliases, ", "))
	}
	writeExample(b, cmd)
	var own []*pflag.Flag
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { own = append(own, f) })
	writeFlags(b, own)
	for _, sub := range cmd.Commands() {
		writeCommand(b, sub)
	}
}

func writeExample(b *strings.Builder, cmd *cobra.Command) {
	if cmd.Example == "" {
		return
	}
	for line := range strings.Lines(cmd.Example) {
		if line = strings.TrimSpace(line); line != "" {
			line = "    " + line
		}
		b.WriteString(line + "\n")
	}
	b.WriteString("\n")
}

// sharedFlags splits the root's flags into the program's own and the names of
// those that kubectl brings along; of the latter some defaults depend on the
// machine.
func sharedFlags(root *cobra.Command) (own []*pflag.Flag, connection []string) {
	kubectl := pflag.NewFlagSet("", pflag.ContinueOnError)
	genericclioptions.NewConfigFlags(true).AddFlags(kubectl)
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if kubectl.Lookup(f.Name) != nil {
			connection = append(connection, "`--"+f.Name+"`")
			return
		}
		own = append(own, f)
	})
	return own, connection
}

// writeFlags writes a table of flags, by name.
func writeFlags(b *strings.Builder, flags []*pflag.Flag) {
	flags = slices.DeleteFunc(flags, func(f *pflag.Flag) bool { return f.Hidden || f.Name == "help" })
	if len(flags) == 0 {
		return
	}
	slices.SortFunc(flags, func(a, b *pflag.Flag) int { return strings.Compare(a.Name, b.Name) })
	b.WriteString("| flag | meaning |\n|---|---|\n")
	for _, f := range flags {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if kind := f.Value.Type(); kind != "bool" {
			name += " " + strings.TrimSuffix(kind, "Array")
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", name, strings.ReplaceAll(f.Usage, "|", `\|`))
	}
}
