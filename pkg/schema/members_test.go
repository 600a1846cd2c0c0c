package schema

import (
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// TestMembersKeepNullApart: null, empty and zero stay apart, there and back.
func TestMembersKeepNullApart(t *testing.T) {
	o := Members{"s": "x", "b": true, "n": int64(3), "l": []any{"a", "b"}, "m": map[string]any{"k": "v"}, "o": map[string]any{},
		"el": []any{}, "em": map[string]any{}, "null": nil}
	for _, key := range []string{"null", "absent"} {
		if o.TextPtr(key) != nil || o.FlagPtr(key) != nil || o.NumberPtr(key) != nil || o.Object(key) != nil || o.Texts(key) != nil || o.TextMap(key) != nil {
			t.Errorf("%s is not null everywhere", key)
		}
		if o.Text(key) != "" || o.Flag(key) || o.Number(key) != 0 {
			t.Errorf("%s is not zero everywhere", key)
		}
	}
	back := map[string]any{"s": OrNull(o.TextPtr("s")), "b": OrNull(o.FlagPtr("b")), "n": OrNull(o.NumberPtr("n")), "l": ListOf(o.Texts("l")),
		"m": MapOf(o.TextMap("m")), "o": map[string]any(o.Object("o")), "el": ListOf(o.Texts("el")), "em": MapOf(o.TextMap("em")), "null": OrNull(o.TextPtr("null"))}
	if !hosted.Equal(back, map[string]any(o)) {
		t.Errorf("back comes %s", hosted.Canonical(back))
	}
	if ListOf(nil) != nil || MapOf(nil) != nil || OrZero(o.NumberPtr("n")) != 3 || OrZero[string](nil) != "" {
		t.Error("null does not stay null, or a value is lost")
	}
}
