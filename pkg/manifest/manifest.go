package manifest

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rawjson"
)

// Stdin is the file name that stands for standard input.
const Stdin = "-"

// Fleet is what was found in the inputs.
type Fleet struct {
	// Snapshots are in the order of first appearance.
	Snapshots []hosted.Snapshot
	// Problems are oddities in single objects, Unread what the inputs lack.
	Problems []hosted.Problem
	Unread   []hosted.Unread
	// Taken is how many objects were used, Ignored how many were not, by kind and
	// group ("Pod", "Deployment.apps").
	Taken   int
	Ignored map[string]int
}

// Read reads all objects from the named files; Stdin stands for stdin. Errors are
// of type *Error; an object that is merely odd is a Problem instead.
func Read(files []string, stdin io.Reader) (Fleet, error) {
	c := &collector{ignored: map[string]int{}, seen: map[string]bool{}}
	stdinRead := false
	for _, name := range files {
		if name == Stdin && stdinRead {
			return Fleet{}, &Error{Kind: Unreadable, What: "standard input is named twice", Fix: "use -f - once"}
		}
		stdinRead = stdinRead || name == Stdin
		if err := c.file(name, stdin); err != nil {
			return Fleet{}, err
		}
	}
	if len(c.all.Clusters()) == 0 {
		return Fleet{}, c.noClusters(files)
	}
	c.missing()
	out := Fleet{Unread: c.all.Unread, Taken: c.taken, Ignored: c.ignored}
	snapshots, problems := c.all.Finish()
	out.Snapshots, out.Problems = snapshots, slices.Concat(c.problems, problems)
	return out, nil
}

// collector picks objects out of one input after the other.
type collector struct {
	all      hosted.Collector
	decoder  rawjson.Decoder
	problems []hosted.Problem
	taken    int
	ignored  map[string]int
	seen     map[string]bool
	// input is the current input's name for people.
	input string
}

func (c *collector) file(name string, stdin io.Reader) error {
	if name == Stdin {
		c.input = "standard input"
		return c.stream(stdin)
	}
	c.input = name
	f, err := os.Open(name)
	if err == nil {
		defer f.Close()
		var info os.FileInfo
		if info, err = f.Stat(); err == nil && info.IsDir() {
			return &Error{Kind: Unreadable, File: name, What: "is a folder", Fix: "name the files in it, each with -f"}
		}
	}
	if err != nil {
		return c.ioError(err)
	}
	return c.stream(f)
}

func (c *collector) ioError(err error) error {
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	return &Error{Kind: Unreadable, File: c.input, What: "cannot be read: " + oneLine(err), Cause: err}
}

// wanted is what is taken of a kind of object.
type wanted struct {
	kind     string
	provider hosted.Provider
	filter   *rawjson.Filter
}

// want tells whether objects of an apiVersion and kind are taken.
func want(apiVersion, kind string) (wanted, bool) {
	group, _, _ := strings.Cut(apiVersion, "/")
	if group == "management.cattle.io" {
		switch kind {
		case "Cluster":
			return wanted{kind: kind, filter: hosted.ClusterFilter()}, true
		case "Setting":
			return wanted{kind: kind, filter: hosted.SettingFilter()}, true
		}
	}
	for _, p := range hosted.Providers() {
		if group == p.CRGroup() && kind == p.CRKind() {
			return wanted{kind: kind, provider: p, filter: hosted.ResourceFilter()}, true
		}
	}
	return wanted{}, false
}

// ignore counts an object that is not wanted.
func (c *collector) ignore(apiVersion, kind string) {
	if kind == "" {
		kind = "(no kind)"
	}
	if group, _, ok := strings.Cut(apiVersion, "/"); ok {
		kind += "." + group
	}
	c.ignored[kind]++
}

// add takes a decoded object of a wanted kind.
func (c *collector) add(w wanted, obj map[string]any) {
	name := hosted.ObjectName(obj)
	if name == "" {
		c.problems = append(c.problems, hosted.Problem{
			Object: w.kind + " without a name", Where: c.input,
			What: "metadata.name is missing; ignored", Fix: "give it a name",
		})
		return
	}
	c.taken++
	switch w.kind {
	case "Cluster":
		c.all.AddCluster(obj)
	case "Setting":
		c.all.AddSetting(obj)
	default:
		c.all.AddResource(w.provider, obj)
	}
	id := w.kind + " " + name
	if c.seen[id] {
		c.problems = append(c.problems, hosted.Problem{
			Object: id, Where: c.input, What: "appears more than once; the last one is used",
			Fix: "give each object once",
		})
	}
	c.seen[id] = true
}

// missing notes what a server would have been asked for and no input has: that it
// is not there is no evidence that it does not exist.
func (c *collector) missing() {
	providers := map[hosted.Provider]bool{}
	for _, s := range c.all.Clusters() {
		providers[s.Provider] = true
	}
	settings := []string{hosted.VersionSetting}
	for _, p := range hosted.Providers() {
		if providers[p] {
			settings = append(settings, p.SettingName())
		}
	}
	for _, name := range settings {
		if !c.seen["Setting "+name] {
			c.lacks(hosted.SettingLabel(name), "kubectl get settings.management.cattle.io "+name+" -o yaml")
		}
	}
	for _, p := range hosted.Providers() {
		if providers[p] && c.all.Resources(p) == 0 {
			c.lacks(p.CRKind(), "kubectl get "+p.CRResource()+"."+p.CRGroup()+" -n cattle-global-data -o yaml")
		}
	}
}

func (c *collector) lacks(what, command string) {
	c.all.Unread = append(c.all.Unread, hosted.Unread{
		What: what, Why: "not in the input", Fix: "add the output of: " + command,
	})
}

func (c *collector) noClusters(files []string) error {
	what := "no Cluster of management.cattle.io in the input"
	if found := c.summary(); found != "" {
		what += " (found " + found + ")"
	}
	return &Error{
		Kind: NoClusters, File: strings.Join(files, ", "), What: what,
		Fix: "dump them with: kubectl get clusters.management.cattle.io -o yaml",
	}
}

// summary lists the most frequent kinds that were ignored.
func (c *collector) summary() string {
	const shown = 5
	kinds := slices.SortedFunc(maps.Keys(c.ignored), func(a, b string) int {
		if c.ignored[a] != c.ignored[b] {
			return c.ignored[b] - c.ignored[a]
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, k := range kinds[:min(shown, len(kinds))] {
		parts = append(parts, fmt.Sprintf("%d %s", c.ignored[k], k))
	}
	if len(kinds) > shown {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
