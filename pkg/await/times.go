package await

import (
	"strconv"
	"time"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// unix reads a refresh annotation as a time that RFC 3339 can write.
func unix(annotation string) (time.Time, bool) {
	n, err := strconv.ParseInt(annotation, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	t := time.Unix(n, 0).UTC()
	return t, t.Year() >= 1970 && t.Year() <= 9999
}

// when writes a time of which it is not sure that it can be written.
func when(t time.Time) string {
	if t.IsZero() || t.Year() < 1970 || t.Year() > 9999 {
		return "an unknown time"
	}
	return stamp(t)
}

func describe(r hosted.RefreshMark) string {
	if r.Annotation == "" {
		return "absent"
	}
	return strconv.Quote(r.Annotation)
}
