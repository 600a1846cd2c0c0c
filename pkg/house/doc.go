// Package house holds the rules of the project's layout, as tests:
//
//   - which folder may import which, and which modules (folders_test.go, the one
//     table; the linter's rules and the table in docs/ARCHITECTURE.md are made
//     from it by the tests' flag -update);
//   - that the core stays free of effects and nothing runs at start-up;
//   - that every package has a doc.go and no file outgrows a screenful of screens.
//
// The compiler refuses only cycles. These tests refuse an import that makes a
// package know what it need not, which is how a tangle begins.
//
// The package has nothing to offer to others, and none may import it.
package house
