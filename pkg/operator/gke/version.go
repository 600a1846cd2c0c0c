package gke

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// version is a version as github.com/Masterminds/semver v3.4.0 reads it
// loosely: a leading v, missing minor and patch numbers and leading zeros in the
// three numbers are accepted.
type version struct {
	major, minor, patch uint64
	pre, build          string
}

var (
	errNoVersion    = errors.New("invalid semantic version")
	errZeroSegment  = errors.New("version segment starts with 0")
	versionAlphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"
)

func parseVersion(text string) (version, error) {
	var v version
	rest, build, hasBuild := strings.Cut(strings.TrimPrefix(text, "v"), "+")
	core, pre, hasPre := strings.Cut(rest, "-")
	if hasBuild && !identifiers(build) || hasPre && !identifiers(pre) {
		return v, errNoVersion
	}
	numbers := strings.Split(core, ".")
	if len(numbers) > 3 {
		return v, errNoVersion
	}
	for _, n := range numbers {
		if n == "" || strings.Trim(n, "0123456789") != "" {
			return v, errNoVersion
		}
	}
	for i, n := range numbers {
		x, err := strconv.ParseUint(n, 10, 64)
		if err != nil {
			return v, fmt.Errorf("error parsing version segment: %w", err)
		}
		*[]*uint64{&v.major, &v.minor, &v.patch}[i] = x
	}
	for _, id := range strings.Split(pre, ".") {
		if len(id) > 1 && id[0] == '0' && strings.Trim(id, "0123456789") == "" {
			return v, errZeroSegment
		}
	}
	v.pre, v.build = pre, build
	return v, nil
}

// identifiers tells whether text is a list of non-empty dotted identifiers.
func identifiers(text string) bool {
	for _, id := range strings.Split(text, ".") {
		if id == "" || strings.Trim(id, versionAlphabet) != "" {
			return false
		}
	}
	return true
}

// String writes all three numbers and no leading v.
func (v version) String() string {
	s := fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch)
	if v.pre != "" {
		s += "-" + v.pre
	}
	if v.build != "" {
		s += "+" + v.build
	}
	return s
}
