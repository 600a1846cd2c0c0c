package lab

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metascheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	listvalidation "k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// The API server's texts for what its history no longer has (kubernetes/
// apiserver, pkg/storage/etcd3/errors.go).
const (
	listExpired     = "The resourceVersion for the provided list is too old."
	continueExpired = "The provided continue parameter is too old " +
		"to display a consistent list result. You can start a new list without " +
		"the continue parameter, or use the continue token in this response to " +
		"retrieve the remainder of the results. Continuing with the provided " +
		"token results in an inconsistent list - objects that were created, " +
		"modified, or deleted between the time the first chunk was returned " +
		"and now may show up in the list."
)

// collection handles GET on a collection: a list, or a watch.
func (a *API) collection(c *call, ref Ref) (answer, error) {
	if err := acceptable(c.req); err != nil {
		return answer{}, err
	}
	q, err := a.query(c, ref)
	if err != nil {
		return answer{}, err
	}
	if q.options.Watch {
		return a.watch(c, q)
	}
	return a.list(q)
}

// query is a request for a collection.
type query struct {
	ref     Ref
	options internalversion.ListOptions
	// revision is that of the options, 0 if none is asked for.
	revision int64
	labels   labels.Selector
	fields   fields.Selector
}

func (a *API) query(c *call, ref Ref) (*query, error) {
	q := &query{ref: ref, labels: labels.Everything(), fields: fields.Everything()}
	if err := metascheme.ParameterCodec.DecodeParameters(c.req.URL.Query(), metav1.SchemeGroupVersion, &q.options); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if errs := listvalidation.ValidateListOptions(&q.options, true); len(errs) > 0 {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs)
	}
	if s := q.options.LabelSelector; s != nil {
		q.labels = s
	}
	if s := q.options.FieldSelector; s != nil {
		q.fields = s
	}
	for _, r := range q.fields.Requirements() {
		if r.Field != "metadata.name" && r.Field != "metadata.namespace" {
			return nil, apierrors.NewBadRequest("field label not supported: " + r.Field)
		}
	}
	var err error
	q.revision, err = parseRevision(q.options.ResourceVersion)
	return q, err
}

func parseRevision(s string) (int64, error) {
	if s == "" || s == "0" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil && n < 0 {
		err = strconv.ErrRange
	}
	if err != nil {
		return 0, apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("resourceVersion"), s, err.Error())})
	}
	return n, nil
}

// selects tells whether an object belongs to what is asked for. A deleted or not
// yet existing object is nil and does not.
func (q *query) selects(obj map[string]any) bool {
	if obj == nil {
		return false
	}
	meta := hosted.Map(obj["metadata"])
	name, namespace := hosted.Str(meta["name"]), hosted.Str(meta["namespace"])
	if q.ref.Namespace != "" && namespace != q.ref.Namespace {
		return false
	}
	set := labels.Set{}
	for k, v := range hosted.Map(meta["labels"]) {
		set[k] = hosted.Str(v)
	}
	return q.labels.Matches(set) && q.fields.Matches(fields.Set{"metadata.name": name, "metadata.namespace": namespace})
}

func tooNew(asked, current int64) error {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", asked, current), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	return err
}

// page is where a list begins: behind a key, as of a revision (0: now).
type page struct {
	revision int64
	start    string
}

func (a *API) begin(q *query) (page, error) {
	if q.options.Continue != "" {
		from, err := decodeContinue(q.options.Continue)
		if err == nil && q.revision > 0 {
			err = apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
		}
		return from, err
	}
	if current := a.store.Revision(); q.revision > current {
		return page{}, tooNew(q.revision, current)
	}
	exact := q.options.ResourceVersionMatch == metav1.ResourceVersionMatchExact
	legacy := q.options.ResourceVersionMatch == "" && q.options.Limit > 0 // the older way to ask for it
	if q.revision > 0 && (exact || legacy) {
		return page{revision: q.revision}, nil
	}
	return page{}, nil
}

func (a *API) list(q *query) (answer, error) {
	from, err := a.begin(q)
	if err != nil {
		return answer{}, err
	}
	keys, objects, at, ok := a.store.snapshot(q.ref.Resource.table(), from.revision)
	if !ok && q.options.Continue != "" {
		expired := apierrors.NewResourceExpired(continueExpired)
		expired.ErrStatus.ListMeta.Continue = encodeContinue(page{-1, from.start})
		return answer{}, expired
	}
	if !ok {
		return answer{}, apierrors.NewResourceExpired(listExpired)
	}
	if n, _ := slices.BinarySearch(keys, from.start); n > 0 {
		keys = keys[n:]
	}
	items := []any{}
	meta := map[string]any{"resourceVersion": strconv.FormatInt(at, 10), "continue": ""}
	for i, k := range keys {
		if !q.selects(objects[k]) {
			continue
		}
		if q.options.Limit > 0 && int64(len(items)) == q.options.Limit {
			q.more(meta, page{at, keys[i-1] + "\x00"}, keys[i:], objects)
			break
		}
		items = append(items, objects[k])
	}
	r := q.ref.Resource
	return jsonAnswer(http.StatusOK, map[string]any{"apiVersion": r.apiVersion(), "kind": r.Kind + "List", "metadata": meta, "items": items}), nil
}

// more says how the list goes on. How much is left is told only if nothing is
// selected, as the real server does not count what it has not looked at.
func (q *query) more(meta map[string]any, next page, rest []string, objects map[string]map[string]any) {
	meta["continue"] = encodeContinue(next)
	if !q.labels.Empty() || !q.fields.Empty() {
		return
	}
	var n int64
	for _, k := range rest {
		if q.selects(objects[k]) {
			n++
		}
	}
	meta["remainingItemCount"] = n
}

// continueToken has the real server's form (kubernetes/apiserver, pkg/storage,
// continue.go). A revision of -1 asks to go on with whatever there is now.
type continueToken struct {
	Version  string `json:"v"`
	Revision int64  `json:"rv"`
	Start    string `json:"start"`
}

func encodeContinue(p page) string {
	raw, err := json.Marshal(continueToken{"meta.k8s.io/v1", p.revision, p.start})
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

func decodeContinue(s string) (page, error) {
	var t continueToken
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	bad := func(why string) (page, error) {
		return page{}, apierrors.NewBadRequest("invalid continue token: continue key is not valid: " + why)
	}
	switch {
	case err != nil:
		return bad(err.Error())
	case t.Version != "meta.k8s.io/v1":
		return bad("server does not recognize this encoded version " + t.Version)
	case t.Revision == 0:
		return bad("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.Start == "", path.Clean("/"+t.Start) != "/"+strings.TrimPrefix(t.Start, "/"):
		return bad(strconv.Quote(t.Start))
	}
	return page{max(t.Revision, 0), strings.TrimPrefix(t.Start, "/")}, nil
}
