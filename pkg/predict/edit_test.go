package predict

import (
	"strings"
	"testing"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/schema"
)

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	v, err := hosted.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return hosted.Map(v)
}

func TestApplyEdit(t *testing.T) {
	const config = `{"displayName":"atlas","privateAccess":false,"tags":null,"kubernetesVersion":"1.31",
		"nodeGroups":[{"nodegroupName":"a","desiredSize":2,"labels":{"x":"1"}}],"futureField":{"on":true}}`
	const reading = `{"tags":{"team":"blue","env":"test"},"privateAccess":true}`
	for _, tc := range []struct {
		name, set, unmanage string
		want                string // the merge unit afterwards
		note                string
		err                 string
	}{
		{name: "scalar", set: "privateAccess=true", want: `true`},
		{name: "version stays a string", set: "kubernetesVersion=1.32", want: `"1.32"`, note: "upgrade-only"},
		{name: "quotes force a string", set: `kubernetesVersion="null"`, want: `"null"`},
		{name: "null unsets", set: "kubernetesVersion=null", want: `null`},
		{name: "unmanaged map starts from the reading", set: "tags.team=red", want: `{"env":"test","team":"red"}`, note: "becomes-managed"},
		{name: "key with dots", set: `tags["a.example.com/b"]=x`, want: `{"a.example.com/b":"x","env":"test","team":"blue"}`},
		{name: "= in a value", set: "tags.team=a=b", want: `{"env":"test","team":"a=b"}`},
		{name: "leaf of an item", set: "nodeGroups[a].desiredSize=5", want: `[{"desiredSize":5,"labels":{"x":"1"},"nodegroupName":"a"}]`},
		{name: "map in an item", set: "nodeGroups[a].labels.y=2", want: `[{"desiredSize":2,"labels":{"x":"1","y":"2"},"nodegroupName":"a"}]`},
		{name: "new item", set: `nodeGroups[b]={"desiredSize":1}`,
			want: `[{"desiredSize":2,"labels":{"x":"1"},"nodegroupName":"a"},{"desiredSize":1,"nodegroupName":"b"}]`},
		{name: "object created on the way", set: "nodeGroups[a].launchTemplate.version=4",
			want: `[{"desiredSize":2,"labels":{"x":"1"},"launchTemplate":{"version":4},"nodegroupName":"a"}]`},
		{name: "unmanage", unmanage: "nodeGroups", want: `null`},
		{name: "create-only", set: "kmsKey=key", want: `"key"`, note: "never-pushed"},
		{name: "copied", set: "serviceRole=r", want: `"r"`, note: "copied"},
		{name: "unknown but present", set: "futureField.on=false", want: `{"on":false}`, note: "unknown-field"},
		{name: "unknown", set: "privateAcces=true", err: `privateAcces: there is no field "privateAcces" here; known fields: amazonCredentialSecret,`},
		{name: "unknown leaf", set: "nodeGroups[a].size=1", err: `nodeGroups[a].size: there is no field "size" here; known fields: gpu,`},
		{name: "no such item", set: "nodeGroups[z].desiredSize=1", err: `nodeGroups[z].desiredSize: there is no item "z" in nodeGroups; items: a`},
		{name: "wrong type", set: "privateAccess=maybe", err: `privateAccess: want a boolean, found "maybe"`},
		{name: "wrong type by JSON", set: `privateAccess=3`, err: `the edited config is not valid: privateAccess: want boolean, found 3`},
		{name: "below a scalar", set: "privateAccess.x=1", err: `privateAccess.x: privateAccess is a boolean and has nothing below it`},
		{name: "unmanage a part", unmanage: "tags.team", err: `tags.team: only whole fields can be unmanaged; unmanage tags instead`},
		{name: "unmanage what is never null", unmanage: "displayName", err: `displayName: cannot be unmanaged, it is never null`},
		{name: "unmanage unknown", unmanage: "nodePools", err: `nodePools: there is no field "nodePools" here`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := apply(t, tc.set, tc.unmanage, config, reading)
			if err != nil || tc.err != "" {
				if err == nil || tc.err == "" || !strings.HasPrefix(err.Error(), tc.err) {
					t.Fatalf("error %v, want %s", err, tc.err)
				}
				return
			}
			p := got.Paths[0]
			if v := hosted.Canonical(got.Config[p.MergeUnit()]); v != tc.want {
				t.Errorf("%s is %s, want %s", p.MergeUnit(), v, tc.want)
			}
			if tc.note != "" && (len(got.Notes) == 0 || got.Notes[0].Code != tc.note) {
				t.Errorf("notes %v, want %s", got.Notes, tc.note)
			}
		})
	}
}

func apply(t *testing.T, set, unmanage, config, reading string) (Edited, error) {
	t.Helper()
	var e Edit
	if set != "" {
		a, err := ParseAssignment(set)
		if err != nil {
			return Edited{}, err
		}
		e.Set = append(e.Set, a)
	}
	if unmanage != "" {
		p, err := hosted.ParsePath(unmanage)
		if err != nil {
			return Edited{}, err
		}
		e.Unmanage = append(e.Unmanage, p)
	}
	before := object(t, config)
	got, err := e.Apply(schema.For(hosted.EKS), before, object(t, reading))
	if !hosted.Equal(before, object(t, config)) {
		t.Error("the edit changed its input")
	}
	return got, err
}

func TestReplaceNamesWhatChanges(t *testing.T) {
	e := Edit{Replace: object(t, `{"displayName":"atlas","privateAccess":true,"tags":{}}`)}
	got, err := e.Apply(schema.For(hosted.EKS), object(t, `{"displayName":"atlas","privateAccess":false,"loggingTypes":["api"]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range got.Paths {
		names = append(names, p.String())
	}
	if s := strings.Join(names, " "); s != "loggingTypes privateAccess tags" {
		t.Errorf("changed units: %s", s)
	}
}
