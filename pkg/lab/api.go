package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Host is the address to give a client's configuration. Nothing listens there.
const Host = "http://lab.invalid"

// API is the Kubernetes protocol in front of a Store. It is an
// http.RoundTripper, to be used as rest.Config.Transport, and safe for concurrent
// use.
type API struct {
	store   *Store
	reviews runtime.Decoder
}

// NewAPI returns the API of a store.
func NewAPI(store *Store) *API { return &API{store: store, reviews: reviewDecoder()} }

// RoundTrip answers a request. It returns an error only if the request's context
// has ended or its body cannot be read, as a connection would.
func (a *API) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	ans := a.answer(&call{req: req, body: body, path: split(req.URL.Path)})
	return ans.response(req, a.store), nil
}

// maxBody is the largest request that the real server reads.
const maxBody = 3 << 20

func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, maxBody+1))
	return body, errors.Join(err, req.Body.Close())
}

func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// call is one request.
type call struct {
	req  *http.Request
	body []byte
	path []string
}

// answer is what the server says. A stream is sent instead of a body.
type answer struct {
	code        int
	contentType string
	body        []byte
	header      map[string]string
	stream      io.ReadCloser
}

const typeJSON = "application/json"

func jsonAnswer(code int, v any) answer {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return errorAnswer(apierrors.NewInternalError(err))
	}
	return answer{code: code, contentType: typeJSON, body: b.Bytes()}
}

func textAnswer(code int, text string) answer {
	return answer{code: code, contentType: "text/plain; charset=utf-8", body: []byte(text)}
}

// noSuchPath is what the server says to a path that belongs to no resource.
func noSuchPath() answer { return textAnswer(http.StatusNotFound, "404 page not found\n") }

// errorAnswer is an error as a Status object.
func errorAnswer(err error) answer {
	status := statusOf(err)
	ans := jsonAnswer(int(status.Code), status)
	if d := status.Details; d != nil && d.RetryAfterSeconds > 0 {
		ans.header = map[string]string{"Retry-After": strconv.Itoa(int(d.RetryAfterSeconds))}
	}
	return ans
}

func statusOf(err error) metav1.Status {
	var known apierrors.APIStatus
	if !errors.As(err, &known) {
		known = apierrors.NewInternalError(err)
	}
	status := known.Status()
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return status
}

func (ans answer) response(req *http.Request, store *Store) *http.Response {
	resp := &http.Response{
		Status: fmt.Sprintf("%d %s", ans.code, http.StatusText(ans.code)), StatusCode: ans.code,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{
			"Cache-Control": {"no-cache, private"},
			"Content-Type":  {ans.contentType},
			"Date":          {store.clock.Now().UTC().Format(http.TimeFormat)},
		},
	}
	for k, v := range ans.header {
		resp.Header.Set(k, v)
	}
	if ans.stream != nil {
		resp.Body, resp.ContentLength, resp.TransferEncoding = ans.stream, -1, []string{"chunked"}
		return resp
	}
	resp.Header.Set("Content-Length", strconv.Itoa(len(ans.body)))
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(ans.body)), int64(len(ans.body))
	return resp
}

// answer finds what a path stands for.
func (a *API) answer(c *call) answer {
	if len(c.body) > maxBody {
		return errorAnswer(apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody)))
	}
	if ans, ok := a.discover(c); ok {
		return ans
	}
	if len(c.path) < 4 || c.path[0] != "apis" {
		return noSuchPath()
	}
	ref, sub, ok := a.resolve(c.path[1], c.path[2], c.path[3:])
	if !ok {
		return noSuchPath()
	}
	ans, err := a.serve(c, ref, sub)
	if err != nil {
		return errorAnswer(err)
	}
	return ans
}

// resolve reads the part of a path behind group and version.
func (a *API) resolve(group, version string, rest []string) (ref Ref, sub string, ok bool) {
	if rest[0] == "namespaces" && len(rest) > 2 {
		ref.Namespace, rest = rest[1], rest[2:]
	}
	if ref.Resource, ok = a.store.Resource(group, version, rest[0]); !ok || len(rest) > 3 {
		return ref, "", false
	}
	if len(rest) > 1 {
		ref.Name = rest[1]
	}
	if len(rest) > 2 {
		sub = rest[2]
	}
	switch {
	case ref.Namespace != "" && !ref.Resource.Namespaced:
		return ref, "", false
	case ref.Name != "" && ref.Namespace == "" && ref.Resource.Namespaced:
		return ref, "", false
	}
	return ref, sub, true
}

// serve handles a request to a resource.
func (a *API) serve(c *call, ref Ref, sub string) (answer, error) {
	if sub != "" && (sub != "status" || !ref.Resource.Status) {
		return answer{}, apierrors.NewNotFound(ref.Resource.groupResource(), ref.Name)
	}
	switch method := c.req.Method; {
	case method == http.MethodGet && ref.Name == "":
		return a.collection(c, ref)
	case method == http.MethodGet:
		if err := acceptable(c.req); err != nil {
			return answer{}, err
		}
		obj, err := a.store.Get(ref)
		return jsonAnswer(http.StatusOK, obj), err
	case method == http.MethodPatch && ref.Name != "":
		return a.patch(c, ref, sub)
	default:
		return answer{}, apierrors.NewMethodNotSupported(ref.Resource.groupResource(), verb(method, ref.Name))
	}
}

// verb is the API's name for a method.
func verb(method, name string) string {
	switch {
	case method == http.MethodPost:
		return "create"
	case method == http.MethodPut:
		return "update"
	case method == http.MethodDelete && name == "":
		return "deletecollection"
	}
	return strings.ToLower(method)
}

// acceptable tells whether the client takes plain JSON, the one form served: no
// tables, no partial metadata, no protobuf.
func acceptable(req *http.Request) error {
	ranges := strings.Split(strings.Join(req.Header.Values("Accept"), ","), ",")
	for _, r := range ranges {
		media, params, _ := strings.Cut(strings.TrimSpace(r), ";")
		switch strings.TrimSpace(media) {
		case "", "*/*", "application/*", typeJSON:
			if !strings.Contains(params, "as=") {
				return nil
			}
		}
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotAcceptable, Reason: metav1.StatusReasonNotAcceptable,
		Message: "only the following media types are accepted: " + typeJSON,
	}}
}
