package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// modified is the API server's text for a failed precondition.
const modified = "the object has been modified; please apply your changes to the latest version and try again"

// systemMeta are the metadata that no writer changes.
func systemMeta() []string {
	return []string{"uid", "creationTimestamp", "generation", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields", "resourceVersion"}
}

// prepare makes of what a writer wants what the server would store (kubernetes/
// apiserver, pkg/registry/rest, BeforeUpdate, and pkg/registry/generic/registry,
// Store.Update; apiextensions-apiserver, pkg/registry/customresource).
func prepare(ref Ref, before, wanted map[string]any, w Write) (map[string]any, error) {
	meta, err := typedMeta(wanted)
	if err != nil {
		return nil, invalid(schema.GroupKind{}, "", field.Invalid(field.NewPath("patch"), hosted.Canonical(wanted), err.Error()))
	}
	old, err := typedMeta(before)
	if err != nil {
		return nil, err
	}
	if err := preconditions(ref, old, meta); err != nil {
		return nil, err
	}
	if err := validate(ref, wanted, old, meta); err != nil {
		return nil, err
	}
	after := wanted
	if after["metadata"], err = keep(before, meta); err != nil {
		return nil, err
	}
	switch {
	case w.Subresource == "status":
		status, ok := wanted["status"]
		after = hosted.CloneMap(before)
		set(after, "status", status, ok)
	case ref.Resource.Status:
		status, ok := before["status"]
		set(after, "status", status, ok)
	}
	if counts(ref, before, after) {
		hosted.Map(after["metadata"])["generation"] = old.Generation + 1
	}
	return after, nil
}

func set(obj map[string]any, key string, v any, present bool) {
	if present {
		obj[key] = v
	} else {
		delete(obj, key)
	}
}

func invalid(kind schema.GroupKind, name string, errs ...*field.Error) error {
	return apierrors.NewInvalid(kind, name, errs)
}

// typedMeta passes an object's metadata through its Go type, which refuses wrong
// types and drops what it does not know. The field bookkeeping is left out.
func typedMeta(obj map[string]any) (*metav1.ObjectMeta, error) {
	v := obj["metadata"]
	if m, ok := v.(map[string]any); ok {
		bare := maps.Clone(m)
		delete(bare, "managedFields")
		v = bare
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var typed metav1.ObjectMeta
	return &typed, json.Unmarshal(raw, &typed)
}

// keep writes metadata as they are stored, with the system's part as it was.
func keep(before map[string]any, meta *metav1.ObjectMeta) (map[string]any, error) {
	raw, err := json.Marshal(meta)
	if err != nil {
		return nil, err
	}
	v, err := hosted.Decode(raw)
	if err != nil {
		return nil, err
	}
	out := hosted.Map(v)
	old := hosted.Map(before["metadata"])
	for _, k := range systemMeta() {
		was, ok := old[k]
		set(out, k, hosted.Clone(was), ok)
	}
	return out, nil
}

func preconditions(ref Ref, old, meta *metav1.ObjectMeta) error {
	gr := ref.Resource.groupResource()
	switch {
	case meta.Name != ref.Name:
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", meta.Name, ref.Name))
	case meta.Namespace != ref.Namespace:
		return apierrors.NewBadRequest(fmt.Sprintf("the namespace of the object (%s) does not match the namespace on the request (%s)", meta.Namespace, ref.Namespace))
	case meta.ResourceVersion == "" || meta.ResourceVersion == "0":
		// The server puts the resource's name where the kind belongs.
		return invalid(schema.GroupKind{Group: gr.Group, Kind: gr.Resource}, ref.Name,
			field.Invalid(field.NewPath("metadata", "resourceVersion"), uint64(0), "must be specified for an update"))
	case meta.ResourceVersion != old.ResourceVersion:
		return apierrors.NewConflict(gr, ref.Name, errors.New(modified))
	}
	return nil
}

// validate refuses to turn an object into another one and metadata that are not
// allowed; what the system sets may be left out.
func validate(ref Ref, wanted map[string]any, old, meta *metav1.ObjectMeta) error {
	kind := ref.Resource.groupKind()
	for key, is := range map[string]string{"apiVersion": ref.Resource.apiVersion(), "kind": kind.Kind} {
		got, ok := wanted[key].(string)
		if key == "kind" && ok {
			kind.Kind = got
		}
		if got != is {
			return invalid(kind, ref.Name, field.Invalid(field.NewPath(key), wanted[key], "must be "+is))
		}
	}
	if meta.UID == "" {
		meta.UID = old.UID
	}
	meta.CreationTimestamp, meta.Generation = old.CreationTimestamp, old.Generation
	if old.DeletionTimestamp != nil {
		meta.DeletionTimestamp = old.DeletionTimestamp
	}
	if old.DeletionGracePeriodSeconds != nil {
		meta.DeletionGracePeriodSeconds = old.DeletionGracePeriodSeconds
	}
	at := field.NewPath("metadata")
	errs := validation.ValidateObjectMetaAccessor(meta, ref.Resource.Namespaced, path.ValidatePathSegmentName, at) //nolint:staticcheck // the server itself still calls it
	errs = append(errs, validation.ValidateObjectMetaAccessorUpdate(meta, old, at)...)
	if len(errs) > 0 {
		return invalid(kind, ref.Name, errs...)
	}
	return nil
}

// counts tells whether the change raises the generation: anything but metadata
// and a separate status does.
func counts(ref Ref, before, after map[string]any) bool {
	strip := func(obj map[string]any) map[string]any {
		out := map[string]any{}
		for k, v := range obj {
			if k != "metadata" && !(k == "status" && ref.Resource.Status) {
				out[k] = v
			}
		}
		return out
	}
	return !hosted.Equal(strip(before), strip(after))
}

// sameButBookkeeping tells whether storing the object would change nothing.
func sameButBookkeeping(before, after map[string]any) bool { return hosted.Equal(before, after) }

// finished tells whether a deletion has nothing left to wait for.
func finished(obj map[string]any) bool {
	meta := hosted.Map(obj["metadata"])
	return meta["deletionTimestamp"] != nil && len(hosted.List(meta["finalizers"])) == 0
}

// stamp writes a time as Kubernetes does: UTC, whole seconds.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
