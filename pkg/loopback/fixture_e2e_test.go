//go:build e2e

package loopback_test

import "strings"

// groups is a change of all node groups.
func groups(list ...string) string { return `{"nodeGroups":[` + strings.Join(list, ",") + `]}` }

// pools is a change of all agent pools.
func pools(list ...string) string { return `{"nodePools":[` + strings.Join(list, ",") + `]}` }

// with is a fixture with one text replaced, which it must have.
func with(fixture, old, replacement string) string {
	if !strings.Contains(fixture, old) {
		panic("the fixture has no " + old)
	}
	return strings.Replace(fixture, old, replacement, 1)
}
