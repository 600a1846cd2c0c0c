package hosted_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

func TestResolve(t *testing.T) {
	fleet := []hosted.Snapshot{
		{Name: "c-aa111", DisplayName: "harbor-prod"}, {Name: "c-bb222", DisplayName: "harbor-stage"},
		{Name: "c-cc333", DisplayName: "twin"}, {Name: "c-dd444", DisplayName: "twin"},
		{Name: "c-ee555", DisplayName: "c-aa111"}, {Name: "local"},
	}
	got, err := hosted.Resolve(fleet, []string{"harbor-stage", "c-aa111", "c-bb222", "local"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range got {
		names = append(names, s.Name)
	}
	if want := []string{"c-bb222", "c-aa111", "local"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v: an object's name beats a display name, no cluster twice", names, want)
	}

	_, err = hosted.Resolve(fleet, []string{"twin"})
	var ambiguous *hosted.AmbiguousNameError
	if !errors.As(err, &ambiguous) || !slices.Equal(ambiguous.Candidates, []string{"c-cc333", "c-dd444"}) ||
		!strings.Contains(err.Error(), "c-cc333, c-dd444") {
		t.Errorf("ambiguous name: %v", err)
	}

	for name, want := range map[string][]string{
		"harbor-prd":             {"harbor-prod"},
		"HARBOR":                 {"harbor-prod", "harbor-stage"},
		"c-aa112":                {"c-aa111"},
		"lokal":                  {"local"},
		"nothing-like-it":        nil,
		"":                       nil,
		strings.Repeat("x", 1e6): nil,
	} {
		_, err := hosted.Resolve(fleet, []string{name})
		var unknown *hosted.UnknownNameError
		if !errors.As(err, &unknown) || !slices.Equal(unknown.Closest, want) {
			t.Errorf("%.20q: %.200v, want suggestions %v", name, err, want)
		}
	}
}
