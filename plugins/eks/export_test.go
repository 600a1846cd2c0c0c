package eks

// ParamFields and TypeFields are the tables of params.go.
func ParamFields() map[string][]string { return paramFields }
func TypeFields() map[string][]string  { return typeFields }
