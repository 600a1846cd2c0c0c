package rawjson

// skip passes over the value that starts here. Objects and lists are only
// searched for their end.
func (d *Decoder) skip() error {
	if d.i >= len(d.b) {
		return d.unexpected()
	}
	switch c := d.b[d.i]; c {
	case '{', '[':
		return d.skipComposite()
	case '"':
		_, err := d.skipText()
		return err
	case 't':
		return d.literal("true")
	case 'f':
		return d.literal("false")
	case 'n':
		return d.literal("null")
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return d.skipNumber()
		}
		return d.unexpected()
	}
}

func (d *Decoder) skipComposite() error {
	depth := 0
	for d.i < len(d.b) {
		switch d.b[d.i] {
		case '"':
			if _, err := d.skipText(); err != nil {
				return err
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		d.i++
		if depth == 0 {
			return nil
		}
	}
	return d.unexpected()
}

// skipText passes over a string and tells whether it is plain: without escapes
// and control characters.
func (d *Decoder) skipText() (plain bool, err error) {
	plain = true
	for d.i++; d.i < len(d.b); d.i++ {
		switch c := d.b[d.i]; {
		case c == '"':
			d.i++
			return plain, nil
		case c == '\\':
			plain = false
			d.i++
		case c < ' ':
			plain = false
		}
	}
	d.i = len(d.b)
	return false, d.unexpected()
}

func (d *Decoder) skipNumber() error {
	if d.b[d.i] == '-' {
		d.i++
	}
	switch first := d.at(); {
	case first == '0':
		d.i++
	case !d.digits():
		return d.unexpected()
	}
	if d.at() == '.' {
		d.i++
		if !d.digits() {
			return d.unexpected()
		}
	}
	if c := d.at(); c == 'e' || c == 'E' {
		d.i++
		if c := d.at(); c == '+' || c == '-' {
			d.i++
		}
		if !d.digits() {
			return d.unexpected()
		}
	}
	return nil
}

func (d *Decoder) at() byte {
	if d.i < len(d.b) {
		return d.b[d.i]
	}
	return 0
}

// digits passes over digits and tells whether there was one.
func (d *Decoder) digits() bool {
	start := d.i
	for '0' <= d.at() && d.at() <= '9' {
		d.i++
	}
	return d.i > start
}
