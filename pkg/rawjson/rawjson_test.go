package rawjson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/rawjson"
)

var documents = []string{
	`null`, `true`, ` false `, `0`, `-0`, `-0.0`, `3.0`, `1e3`, `1.5`, `9223372036854775807`, `9223372036854775808`,
	`-9223372036854775808`, `123456789012345678901234567890`, `1e400`, `""`, `"a\u00e9\ud83d\ude00\ud800x"`, "\"\xff\"", "\"a\nb\"",
	`"\""`, `"\\"`, `"\x"`, `[]`, `{}`, `[1,"a",null,[],{}]`, `{"a":{"b":[1,2,{"c":null}]},"d":""}`, `{"a":1,"a":{"b":2}}`,
	`{"a":1,}`, `[1,]`, `[1 2]`, `{"a" 1}`, `{1:2}`, `{"a":}`, `tru`, `nulll`, `01`, `1.`, `.5`, `+1`, `-`, `1e`, `"`, `"abc`, `{`, `[`, `}`,
	``, ` `, `{} {}`, `[[[[[[]]]]]]`, `{"":""}`, `{"items":[{"a":[{"x":1.25}]},"s",5,null]}`,
	`{"longer":"` + strings.Repeat("abc", 50) + `","list":[` + strings.Repeat(`{"k":"v"},`, 30) + `{}]}`,
}

// FuzzDecode holds Decode to hosted.Decode: same values, same refusals, with and
// without sharing.
func FuzzDecode(f *testing.F) {
	for _, d := range documents {
		f.Add([]byte(d))
	}
	var d rawjson.Decoder
	f.Fuzz(func(t *testing.T, data []byte) {
		want, wantErr := hosted.Decode(data)
		for _, filter := range []*rawjson.Filter{nil, {Share: 3}} {
			if filter != nil && !json.Valid(data) {
				continue // sharing passes over text before it is decoded
			}
			got, err := d.Decode(data, filter)
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("%q: error %v, want %v", data, err, wantErr)
			}
			if err == nil && !hosted.Equal(got, want) {
				t.Fatalf("%q: got %s, want %s", data, hosted.Canonical(got), hosted.Canonical(want))
			}
		}
	})
}

func TestFilterTakesWhatIsNamed(t *testing.T) {
	doc := `{"keep":{"a":[1,2]},"drop":{"x":"}\""},"deep":{"in":{"k":1},"out":[{}]},"wrong":"text",
		"list":[{"n":1,"z":2},{"n":3},"s"],"ann/one":"1","bnn/two":"2","names":{"x":[{"y":1}],"z":2}}`
	f := rawjson.Only("keep", "absent").
		With("deep", rawjson.Only("in")).
		With("wrong", rawjson.Only("in")).
		With("names", &rawjson.Filter{Names: true}).
		With("list", &rawjson.Filter{Each: rawjson.Only("n")})
	f.Match = func(k string) bool { return strings.HasPrefix(k, "ann/") }
	var d rawjson.Decoder
	got, err := d.Decode([]byte(doc), f)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"ann/one":"1","deep":{"in":{"k":1}},"keep":{"a":[1,2]},"list":[{"n":1},{"n":3},"s"],"names":{"x":null,"z":null},"wrong":"text"}`
	if hosted.Canonical(got) != want {
		t.Errorf("got  %s\nwant %s", hosted.Canonical(got), want)
	}
}

// TestSharingJoinsEqualParts: equal parts become one value, different ones do not,
// and nothing is shared between two objects.
func TestSharingJoinsEqualParts(t *testing.T) {
	doc := []byte(`{"a":{"tags":{"team":"blue and green"},"n":1},"b":{"tags":{"team":"blue and green"},"n":2}}`)
	f := rawjson.Only().With("a", &rawjson.Filter{Share: 2}).With("b", &rawjson.Filter{Share: 2})
	var d rawjson.Decoder
	v, err := d.Decode(doc, f)
	if err != nil {
		t.Fatal(err)
	}
	tags := func(k string) map[string]any { return hosted.Map(hosted.Map(hosted.Map(v)[k])["tags"]) }
	tags("a")["mark"] = true
	if tags("b")["mark"] != true {
		t.Error("equal parts are not shared")
	}
	again, err := d.Decode(doc, f)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := hosted.Dig(hosted.Map(again), "a", "tags", "mark"); ok {
		t.Error("a part is shared with the object before")
	}
}

func TestDeepNestingIsRefused(t *testing.T) {
	var d rawjson.Decoder
	deep := strings.Repeat("[", rawjson.MaxDepth+1) + strings.Repeat("]", rawjson.MaxDepth+1)
	if _, err := d.Decode([]byte(deep), nil); err == nil {
		t.Error("no error")
	}
	if _, err := d.Decode([]byte(deep[1:len(deep)-1]), nil); err != nil {
		t.Errorf("at the limit: %v", err)
	}
}

// read collects what a Reader makes of a stream.
func read(r io.Reader, max int) (out []string, err error) {
	l := rawjson.NewReader(r, max)
	for {
		if _, err := l.Peek(); errors.Is(err, io.EOF) {
			return out, nil
		}
		head, isList, err := l.List(func(item []byte) error {
			out = append(out, "item "+string(item))
			return nil
		})
		if err != nil {
			return out, err
		}
		out = append(out, fmt.Sprintf("head %s %t", head, isList))
	}
}

func TestReaderSplits(t *testing.T) {
	in := ` {"kind":"List","items":[{"a":"]}\"{"}, 1 ,"x",[{}],null ],"metadata":{"continue":""}}` + "\n" +
		`{"kind":"Cluster","spec":{"items":[1]}} [ {"b":2} ] {} 7 "s" {"items":{"not":"a list"}} {"items":[]}`
	want := []string{
		`item {"a":"]}\"{"}`, `item 1`, `item "x"`, `item [{}]`, `item null`, `head {"kind":"List","metadata":{"continue":""}} true`,
		`head {"kind":"Cluster","spec":{"items":[1]}} false`, `item {"b":2}`, `head  true`, `head {} false`,
		`head 7 false`, `head "s" false`, `head {"items":{"not":"a list"}} false`, `head {} true`,
	}
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in)),
	} {
		got, err := read(r, 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	for in, want := range map[string]string{
		`{"items":[{"a":1}`:              "unexpected end",
		`{"items":[1,`:                   "unexpected end",
		`{"items":[1 2]}`:                "unexpected '2'",
		`{"a"`:                           "unexpected end",
		`{a:1}`:                          "unexpected 'a'",
		`}`:                              "unexpected '}'",
		`{"a":}`:                         "unexpected '}'",
		`%`:                              "unexpected '%'",
		`{"items":["0123456789abcdef"]}`: "too large",
		`{"a":"0123456","b":"789abc"}`:   "too large",
	} {
		_, err := read(strings.NewReader(in), 16)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", in, err, want)
		}
	}
	broken := errors.New("connection lost")
	if _, err := read(io.MultiReader(strings.NewReader(`{"items":[{"a":`), iotest.ErrReader(broken)), 0); !errors.Is(err, broken) {
		t.Errorf("a read error became %v", err)
	}
	stop := errors.New("enough")
	_, _, err := rawjson.NewReader(strings.NewReader(`[1,2]`), 0).List(func([]byte) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("the item function's error became %v", err)
	}
}

// FuzzReader: whatever the chunks, the parts put together again are the stream,
// and valid JSON is taken apart without an error.
func FuzzReader(f *testing.F) {
	for _, d := range documents {
		f.Add([]byte(d))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		whole, err := read(strings.NewReader(string(data)), 0)
		if json.Valid(data) && err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		bytewise, err2 := read(iotest.OneByteReader(strings.NewReader(string(data))), 0)
		if strings.Join(whole, "\n") != strings.Join(bytewise, "\n") || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("%q: read whole %q (%v), byte by byte %q (%v)", data, whole, err, bytewise, err2)
		}
		if json.Valid(data) {
			for _, part := range whole {
				kind, text, _ := strings.Cut(part, " ")
				if kind == "item" && !json.Valid([]byte(text)) {
					t.Fatalf("%q: item %q is not JSON", data, text)
				}
			}
		}
	})
}
