package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metascheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kjson "sigs.k8s.io/json"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// patch handles PATCH with a merge patch or a JSON patch. It works them in with
// the library that the real server uses, so that what becomes of a null is not a
// matter of interpretation (kubernetes/apiserver, pkg/endpoints/handlers,
// patch.go).
func (a *API) patch(c *call, ref Ref, sub string) (answer, error) {
	kind, err := patchType(c.req)
	if err != nil {
		return answer{}, err
	}
	if err := acceptable(c.req); err != nil {
		return answer{}, err
	}
	options, err := patchOptions(c.req, kind)
	if err != nil {
		return answer{}, err
	}
	w := Write{Manager: manager(options.FieldManager, c.req.UserAgent()), Subresource: sub, DryRun: len(options.DryRun) > 0}
	obj, err := a.store.Update(ref, w, func(current map[string]any) (map[string]any, error) {
		return applyPatch(kind, current, c.body)
	})
	return jsonAnswer(http.StatusOK, obj), err
}

func patchType(req *http.Request) (types.PatchType, error) {
	media, _, _ := strings.Cut(req.Header.Get("Content-Type"), ";")
	kind := types.PatchType(media)
	if kind == types.MergePatchType || kind == types.JSONPatchType {
		return kind, nil
	}
	return "", &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: fmt.Sprintf("the body of the request was in an unknown format - accepted media types include: %s, %s", types.JSONPatchType, types.MergePatchType),
	}}
}

func patchOptions(req *http.Request, kind types.PatchType) (metav1.PatchOptions, error) {
	var o metav1.PatchOptions
	if err := metascheme.ParameterCodec.DecodeParameters(req.URL.Query(), metav1.SchemeGroupVersion, &o); err != nil {
		return o, apierrors.NewBadRequest(err.Error())
	}
	if errs := validation.ValidatePatchOptions(&o, kind); len(errs) > 0 {
		return o, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "PatchOptions"}, "", errs)
	}
	return o, nil
}

// manager is the name in managedFields of a client that gave none: the printable
// beginning of its User-Agent, up to the first slash.
func manager(given, userAgent string) string {
	if given != "" {
		return given
	}
	name, _, _ := strings.Cut(userAgent, "/")
	var b strings.Builder
	for _, r := range name {
		if !unicode.IsPrint(r) {
			continue
		}
		if b.Len()+utf8.RuneLen(r) > validation.FieldManagerMaxLength {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

func applyPatch(kind types.PatchType, current map[string]any, patch []byte) (map[string]any, error) {
	doc, err := json.Marshal(current)
	if err != nil {
		return nil, err
	}
	out, err := worked(kind, doc, patch)
	if err != nil {
		return nil, err
	}
	v, err := hosted.Decode(out)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return nil, apierrors.NewBadRequest("the patch does not leave an object")
	}
	return obj, nil
}

func worked(kind types.PatchType, doc, patch []byte) ([]byte, error) {
	if kind == types.MergePatchType {
		if _, err := kjson.UnmarshalStrict(patch, &map[string]any{}); err != nil {
			return nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
		}
		out, err := jsonpatch.MergePatch(doc, patch)
		if errors.Is(err, jsonpatch.ErrBadJSONPatch) {
			err = apierrors.NewBadRequest(err.Error())
		}
		return out, err
	}
	if _, err := kjson.UnmarshalStrict(patch, &[]map[string]any{}); err != nil {
		return nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
	}
	ops, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	out, err := ops.Apply(doc)
	if err != nil {
		return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
	}
	return out, nil
}
