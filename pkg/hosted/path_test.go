package hosted

import "testing"

func TestParsePath(t *testing.T) {
	for _, tc := range []struct{ in, out, err string }{
		{in: "tags.team", out: "tags.team"},
		{in: "nodeGroups[workers].desiredSize", out: "nodeGroups[workers].desiredSize"},
		{in: `tags["app.example.com/tier"]`, out: `tags[app.example.com/tier]`},
		{in: `nodeGroups["a b"].labels["x\"y"]`, out: `nodeGroups["a b"].labels["x\"y"]`},
		{in: "masterAuthorizedNetworks.cidrBlocks[192.0.2.0/24].displayName", out: "masterAuthorizedNetworks.cidrBlocks[192.0.2.0/24].displayName"},
		{in: "", err: "empty path: write it like tags.team or nodeGroups[workers].desiredSize"},
		{in: "tags..x", err: `path "tags..x": a name is missing before ".x"`},
		{in: "a[", err: `path "a[": ] is missing in "["`},
		{in: "a[]", err: `path "a[]": [] needs the identity of an item, for example nodeGroups[workers]`},
		{in: `a["x`, err: `path "a[\"x": unfinished quoted name in "[\"x": write ["name"]`},
		{in: "a[x]y", err: `path "a[x]y": expected . or [ before "y"`},
	} {
		p, err := ParsePath(tc.in)
		switch {
		case err != nil && err.Error() != tc.err, err == nil && tc.err != "":
			t.Errorf("ParsePath(%q): error %v, want %q", tc.in, err, tc.err)
		case err == nil && p.String() != tc.out:
			t.Errorf("ParsePath(%q) = %s, want %s", tc.in, p, tc.out)
		}
	}
}

// A path read from its text form names the same place again.
func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"tags.team", "a[b].c", `a["x.y"]`, "a[", "..", `["x"]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePath(s)
		if err != nil {
			return
		}
		q, err := ParsePath(p.String())
		if err != nil || len(q) != len(p) {
			t.Fatalf("%q became %q: %v", s, p, err)
		}
		for i := range p {
			if p[i].Key != q[i].Key {
				t.Fatalf("%q became %q: step %d is %q, was %q", s, p, i, q[i].Key, p[i].Key)
			}
		}
	})
}
