package schema

import "github.com/hostedsync/kubectl-hostedsync/pkg/hosted"

// Kind is the JSON shape of a field.
type Kind uint8

// The kinds. Int32 and Int64 differ in range only.
const (
	String Kind = iota + 1
	Bool
	Int32
	Int64
	List
	Map
	Object
)

var kindNames = map[Kind]string{
	String: "string", Bool: "boolean", Int32: "32-bit integer", Int64: "integer",
	List: "list", Map: "map", Object: "object",
}

// String is the kind's name in messages.
func (k Kind) String() string { return kindNames[k] }

// Source says where the UpstreamSpec takes a field's value from.
type Source uint8

// The sources.
const (
	// FromCloud is read from the cloud at every refresh.
	FromCloud Source = iota
	// FromConfig is copied from the Config, so that it never drifts.
	FromConfig
	// NotRead is never filled in, and the type always writes it: every refresh
	// resets a managed value to null (or "").
	NotRead
	// Retained is never filled in (or not always), and the type omits it when
	// empty: the Config's value stays, whatever the cloud has.
	Retained
	// FromCredential comes from the environment named in the cloud credential.
	FromCredential
)

// Push says what an operator does with a changed Config value.
type Push uint8

// The push behaviours.
const (
	// PushYes is sent when it differs from the cloud.
	PushYes Push = iota
	// PushNever is ignored after creation: an edit is recorded as applied, then
	// reverted by the next refresh (or stays as a false statement if the
	// UpstreamSpec copies it from the Config).
	PushNever
	// PushUpgradeOnly is sent only when the Config's version is higher.
	PushUpgradeOnly
	// PushNoMinorDowngrade is sent, but a lower minor version is an error.
	PushNoMinorDowngrade
	// PushEnableOnly is sent only to switch on.
	PushEnableOnly
	// PushCarried is never a reason to send, but goes along in a full update.
	PushCarried
	// PushAuth is used to log in and is not a property of the cluster.
	PushAuth
)

// Compare says how an operator decides that a list or scalar differs.
type Compare uint8

// The comparisons. The refresh itself always compares in order.
const (
	// CompareOrdered is strict equality, order included.
	CompareOrdered Compare = iota
	// CompareSet ignores order.
	CompareSet
	// CompareNilZero takes null for the zero value.
	CompareNilZero
)

// Field describes one field.
type Field struct {
	Name string
	Kind Kind
	// Pointer: the Go field is a pointer, so that null and zero differ. For a
	// List it marks a pointer to a slice, whose empty value survives omitempty.
	Pointer bool
	// OmitEmpty: the Go field has omitempty.
	OmitEmpty bool
	// NoUpdate: Rancher's /v3 API refuses to change it; the Kubernetes API
	// does not.
	NoUpdate bool
	// Elem describes the items of a List and the values of a Map. Its Name is
	// empty.
	Elem *Field
	// Fields are the members of an Object, in the type's order.
	Fields []Field
	// Identity is the member that identifies an item of a list of objects; for
	// a list of scalars Unordered says whether the value identifies itself.
	Identity string
	// Unordered: the cloud treats the list as a set.
	Unordered bool

	Source  Source
	Push    Push
	Compare Compare
	// Doc is one sentence for people.
	Doc string
}

// Nullable tells whether the field can be null, which at the top level means
// unmanaged.
func (f *Field) Nullable() bool { return f.Pointer || f.Kind == List || f.Kind == Map }

// Member returns the named member of an Object.
func (f *Field) Member(name string) (Field, bool) {
	for i := range f.Fields {
		if f.Fields[i].Name == name {
			return f.Fields[i], true
		}
	}
	return Field{}, false
}

// Spec is one provider's Config type.
type Spec struct {
	Provider hosted.Provider
	// GoType is the type's name in the operator's Go package, which appears in
	// errors.
	GoType string
	Root   Field
}

// For returns a provider's table. It panics for hosted.None, which has none.
func For(p hosted.Provider) Spec {
	switch p {
	case hosted.AKS:
		return aksSpec
	case hosted.EKS:
		return eksSpec
	case hosted.GKE:
		return gkeSpec
	case hosted.ACK:
		return ackSpec
	}
	panic("schema: no table for provider " + string(p))
}

// Unit returns the top-level field (merge unit) of that name.
func (s Spec) Unit(name string) (Field, bool) { return s.Root.Member(name) }

// Lookup follows a path through the table. It reports false where the path
// leaves what is known. The field of a list item or map value is its Elem.
func (s Spec) Lookup(p hosted.Path) (Field, bool) {
	f := s.Root
	for _, step := range p {
		switch {
		case f.Kind == Object && !step.Item:
			m, ok := f.Member(step.Key)
			if !ok {
				return Field{}, false
			}
			f = m
		case f.Kind == Map && !step.Item, f.Kind == List && step.Item:
			f = *f.Elem
		default:
			return Field{}, false
		}
	}
	return f, true
}

// Constructors that keep the tables readable.

type option func(*Field)

func field(name string, k Kind, opts ...option) Field {
	f := Field{Name: name, Kind: k}
	for _, o := range opts {
		o(&f)
	}
	return f
}

func ptr(f *Field)       { f.Pointer = true }
func omit(f *Field)      { f.OmitEmpty = true }
func noUpdate(f *Field)  { f.NoUpdate = true }
func unordered(f *Field) { f.Unordered = true }

func from(s Source) option       { return func(f *Field) { f.Source = s } }
func push(p Push) option         { return func(f *Field) { f.Push = p } }
func compare(c Compare) option   { return func(f *Field) { f.Compare = c } }
func doc(s string) option        { return func(f *Field) { f.Doc = s } }
func of(elem Field) option       { return func(f *Field) { f.Elem = &elem } }
func members(m ...Field) option  { return func(f *Field) { f.Fields = m } }
func identity(key string) option { return func(f *Field) { f.Identity = key } }

func stringList(name string, opts ...option) Field {
	return field(name, List, append([]option{of(Field{Kind: String})}, opts...)...)
}

func stringMap(name string, opts ...option) Field {
	return field(name, Map, append([]option{of(Field{Kind: String})}, opts...)...)
}

func stringPtrMap(name string, opts ...option) Field {
	return field(name, Map, append([]option{of(Field{Kind: String, Pointer: true})}, opts...)...)
}

// String says where the reading takes the value from.
func (s Source) String() string {
	switch s {
	case FromConfig:
		return "copied from the Config, so it never drifts"
	case NotRead:
		return "never read from the cloud: each refresh resets it"
	case Retained:
		return "never read from the cloud: the Config's value stays"
	case FromCredential:
		return "taken from the environment of the cloud credential"
	}
	return "read from the cloud at each refresh"
}

// String says what an operator does with a changed value.
func (p Push) String() string {
	switch p {
	case PushNever:
		return "never, after creation"
	case PushUpgradeOnly:
		return "only upwards; a lower version is silently ignored"
	case PushNoMinorDowngrade:
		return "yes; a lower minor version is an error"
	case PushEnableOnly:
		return "only to switch on"
	case PushCarried:
		return "only along with another change"
	case PushAuth:
		return "no: it is used to log in"
	}
	return "yes, when it differs from the cloud"
}
