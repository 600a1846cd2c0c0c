package operator

import (
	"slices"
	"testing"
)

func TestStrike(t *testing.T) {
	for name, c := range map[string]struct {
		fault Fault
		want  []bool
	}{
		"always":           {Fault{Op: "a"}, []bool{true, true, true, true}},
		"once":             {Fault{Op: "a", Times: 1}, []bool{true, false, false, false}},
		"second and third": {Fault{Op: "a", Nth: 2, Count: 2}, []bool{false, true, true, false}},
		"from the third":   {Fault{Op: "a", Nth: 3}, []bool{false, false, true, true}},
		"target":           {Fault{Op: "a", Target: "/x"}, []bool{true, true, true, true}},
		"other target":     {Fault{Op: "a", Target: "/y"}, []bool{false, false, false, false}},
		"other operation":  {Fault{Op: "b"}, []bool{false, false, false, false}},
	} {
		s := NewFaults([]Fault{c.fault})
		var got []bool
		for range c.want {
			got = append(got, s.Strike("a", "p/x") != nil)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: struck %v, want %v", name, got, c.want)
		}
	}
	var none Faults
	if none.Strike("a", "x") != nil {
		t.Error("no fault struck")
	}
	if (&Fault{Status: 404}).Answer() != 404 || (&Fault{HTTPStatus: 403}).Answer() != 403 {
		t.Error("a status is lost")
	}
}

// A call counts for every fault of its operation, also for those that come after
// the one it strikes: Nth is the number of the call, not of the calls left over.
func TestFaultsCountEveryCall(t *testing.T) {
	s := NewFaults([]Fault{{Op: "A", Nth: 1, Count: 1, Code: "first"}, {Op: "A", Nth: 3, Count: 1, Code: "third"}})
	want := []string{"first", "", "third", ""}
	for i, w := range want {
		got := ""
		if f := s.Strike("A", ""); f != nil {
			got = f.Code
		}
		if got != w {
			t.Errorf("call %d got %q, want %q", i+1, got, w)
		}
	}
}
