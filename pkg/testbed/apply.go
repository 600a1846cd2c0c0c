package testbed

import (
	"context"
	"fmt"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// writers bounds how many objects are stored at once.
const writers = 8

type resource struct {
	schema.GroupVersionResource
	status bool
}

// resources maps each kind that a test may store to its resource.
func resources() map[string]resource {
	out := map[string]resource{
		"Cluster":            {schema.GroupVersionResource{Group: managementGroup, Version: "v3", Resource: "clusters"}, true},
		"Setting":            {schema.GroupVersionResource{Group: managementGroup, Version: "v3", Resource: "settings"}, false},
		"Namespace":          {schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, false},
		"Deployment":         {schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, true},
		"Secret":             {schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, false},
		"ClusterRole":        {schema.GroupVersionResource{Group: rbacGroup, Version: "v1", Resource: "clusterroles"}, false},
		"ClusterRoleBinding": {schema.GroupVersionResource{Group: rbacGroup, Version: "v1", Resource: "clusterrolebindings"}, false},
		"Role":               {schema.GroupVersionResource{Group: rbacGroup, Version: "v1", Resource: "roles"}, false},
		"RoleBinding":        {schema.GroupVersionResource{Group: rbacGroup, Version: "v1", Resource: "rolebindings"}, false},
	}
	for _, p := range hosted.Providers() {
		out[p.CRKind()] = resource{schema.GroupVersionResource{Group: p.CRGroup(), Version: "v1", Resource: p.CRResource()}, true}
	}
	return out
}

func (s *Server) client(obj map[string]any) (dynamic.ResourceInterface, resource, error) {
	kind := hosted.Str(obj["kind"])
	r, ok := resources()[kind]
	if !ok {
		return nil, r, fmt.Errorf("the test bed does not know the kind %q", kind)
	}
	c := s.dynamic.Resource(r.GroupVersionResource)
	if ns := hosted.Str(hosted.Map(obj["metadata"])["namespace"]); ns != "" {
		return c.Namespace(ns), r, nil
	}
	return c, r, nil
}

// Apply stores objects as ApplyAll does and fails the test on an error.
func (s *Server) Apply(t testing.TB, objs ...map[string]any) {
	t.Helper()
	if err := s.ApplyAll(withoutCancel(t), objs...); err != nil {
		t.Fatal(err)
	}
}

// ApplyAll creates objects, several at a time: first the object, then its status,
// then its managedFields, and at last, if it carries a deletionTimestamp, its
// deletion (give such an object a finalizer). An object that exists is an error.
func (s *Server) ApplyAll(ctx context.Context, objs ...map[string]any) error {
	var wg sync.WaitGroup
	work := make(chan map[string]any)
	errs := make(chan error, writers)
	for range min(writers, len(objs)) {
		wg.Go(func() {
			var first error
			for o := range work {
				if err := s.apply(ctx, o); err != nil && first == nil {
					first = err
				}
			}
			if first != nil {
				errs <- first
			}
		})
	}
	for _, o := range objs {
		work <- o
	}
	close(work)
	wg.Wait()
	close(errs)
	return <-errs
}

func (s *Server) apply(ctx context.Context, raw map[string]any) error {
	c, r, err := s.client(raw)
	if err != nil {
		return err
	}
	in := &unstructured.Unstructured{Object: hosted.CloneMap(raw)}
	fields, deleted := in.GetManagedFields(), in.GetDeletionTimestamp() != nil
	in.SetManagedFields(nil)
	in.SetDeletionTimestamp(nil)
	in.SetResourceVersion("")
	in.SetUID("")
	name := fmt.Sprintf("%s %s", in.GetKind(), in.GetName())
	opts := metav1.CreateOptions{FieldManager: "testbed"}
	out, err := c.Create(ctx, in, opts)
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	if status, ok := raw["status"]; ok && r.status {
		out.Object["status"] = hosted.Clone(status)
		if out, err = c.UpdateStatus(ctx, out, metav1.UpdateOptions{FieldManager: "testbed"}); err != nil {
			return fmt.Errorf("status of %s: %w", name, err)
		}
	}
	if fields != nil {
		out.SetManagedFields(fields)
		if _, err = c.Update(ctx, out, metav1.UpdateOptions{FieldManager: "testbed"}); err != nil {
			return fmt.Errorf("managedFields of %s: %w", name, err)
		}
	}
	if deleted {
		if err := c.Delete(ctx, in.GetName(), metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("delete %s: %w", name, err)
		}
	}
	return nil
}

// Remove deletes objects, finalizers and all, and fails the test on an error.
func (s *Server) Remove(t testing.TB, objs ...map[string]any) {
	t.Helper()
	ctx := withoutCancel(t)
	for _, o := range objs {
		c, _, err := s.client(o)
		if err != nil {
			t.Fatal(err)
		}
		name := hosted.ObjectName(o)
		live, err := c.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if live.GetDeletionTimestamp() == nil {
			if err := c.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if len(live.GetFinalizers()) == 0 {
			continue
		}
		patch := []byte(`{"metadata":{"finalizers":null}}`)
		if _, err := c.Patch(ctx, name, mergePatch, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// Merge patches a stored object, given by kind, namespace ("" for none) and name;
// with status it is the object's status that changes.
func (s *Server) Merge(t testing.TB, kind, namespace, name, patch string, status bool) map[string]any {
	t.Helper()
	c, _, err := s.client(map[string]any{"kind": kind, "metadata": map[string]any{"namespace": namespace}})
	if err != nil {
		t.Fatal(err)
	}
	var sub []string
	if status {
		sub = []string{"status"}
	}
	out, err := c.Patch(withoutCancel(t), name, mergePatch, []byte(patch), metav1.PatchOptions{FieldManager: "testbed"}, sub...)
	if err != nil {
		t.Fatal(err)
	}
	return out.Object
}

// Get reads a stored object, managedFields included.
func (s *Server) Get(t testing.TB, kind, namespace, name string) map[string]any {
	t.Helper()
	c, _, err := s.client(map[string]any{"kind": kind, "metadata": map[string]any{"namespace": namespace}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Get(withoutCancel(t), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out.Object
}
