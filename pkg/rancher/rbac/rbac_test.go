package rbac_test

import (
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/rancher/rbac"
)

// TestRolesAreNarrow: no wildcard, no binding and no verb that creates or deletes.
// What exactly they grant is tested in pkg/rancher.
func TestRolesAreNarrow(t *testing.T) {
	for name, c := range map[string]struct {
		manifest string
		kinds    []string
	}{
		"read": {rbac.Read(), []string{"ClusterRole", "Role", "Role"}},
		"sync": {rbac.Sync(), []string{"ClusterRole"}},
	} {
		var kinds []string
		for line := range strings.Lines(c.manifest) {
			line = strings.TrimSpace(line)
			if kind, ok := strings.CutPrefix(line, "kind: "); ok {
				kinds = append(kinds, kind)
			}
			if strings.HasPrefix(line, "#") {
				continue
			}
			for _, word := range []string{"*", "create", "delete", "update", "secrets", "impersonate", "escalate", "bind"} {
				if strings.Contains(line, word) {
					t.Errorf("%s: %q", name, line)
				}
			}
		}
		if strings.Join(kinds, " ") != strings.Join(c.kinds, " ") {
			t.Errorf("%s has %v, want %v", name, kinds, c.kinds)
		}
	}
}
