package ack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// largest bounds an answer, in bytes.
const largest = 64 << 20

// errGarbled is an answer that is not the API's.
var errGarbled = errors.New("not an answer of Alibaba Cloud's API")

// transport carries the library's calls. The library would take any JSON for an
// answer, the beginning of one too, and shares one client without a lock that
// covers its use.
type transport struct{ client *http.Client }

// Call implements dara.HttpClient. The library's own transport is not used.
func (t transport) Call(r *http.Request, _ *http.Transport) (*http.Response, error) {
	client := *t.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, largest))
	kind := answer.Header.Get("Content-Type")
	switch {
	case err != nil || len(body) == largest:
		return nil, fmt.Errorf("%w: it is cut off", errGarbled)
	case strings.Contains(kind, "html"):
		return nil, fmt.Errorf("%w: it is a web page", errGarbled)
	case answer.StatusCode >= 300 && answer.StatusCode < 400:
		return nil, fmt.Errorf("%w: it leads elsewhere", errGarbled)
	case len(body) > 0 && !json.Valid(body) && !strings.Contains(kind, "xml"):
		return nil, fmt.Errorf("%w: it is not JSON", errGarbled)
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, nil
}
