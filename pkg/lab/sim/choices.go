package sim

// Choices are the decisions that make up one run: they come from a seed, or from a
// list that was recorded before. The same choices make the same run. Of several
// possibilities the first is always the plainest, so that a list with smaller
// numbers, or fewer, is a simpler run.
type Choices struct {
	state  uint64
	given  []uint32
	replay bool
	made   []uint32
	record bool
}

// Seeded are the choices of a seed.
func Seeded(seed uint64) *Choices {
	return &Choices{state: seed*0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d}
}

// Replayed are choices from a list; after its end the plainest.
func Replayed(list []uint32) *Choices { return &Choices{given: list, replay: true} }

// Recording makes the choices remembered.
func (c *Choices) Recording() *Choices { c.record = true; return c }

// Made are the choices so far, if they were to be remembered.
func (c *Choices) Made() []uint32 { return c.made }

// next is splitmix64 (Steele, Lea and Flood, 2014).
func (c *Choices) next() uint64 {
	c.state += 0x9e3779b97f4a7c15
	z := c.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Below is a number from 0 to n-1.
func (c *Choices) Below(n int) int {
	var v uint32
	switch {
	case !c.replay:
		v = uint32(c.next()>>33) % uint32(n)
	case len(c.given) > 0:
		v = c.given[0] % uint32(n)
		c.given = c.given[1:]
	}
	if c.record {
		c.made = append(c.made, v)
	}
	return int(v)
}

// OnceIn is true once in n; the plainest is false.
func (c *Choices) OnceIn(n int) bool { return c.Below(n) == n-1 }

// Shrink looks for a simpler list of choices for which fails still holds, trying at
// most budget lists.
func Shrink(list []uint32, budget int, fails func([]uint32) bool) []uint32 {
	try := func(l []uint32) bool {
		if budget <= 0 || !fails(l) {
			budget--
			return false
		}
		budget--
		list = l
		return true
	}
	for again := true; again && budget > 0; {
		again = false
		for size := len(list) / 2; size > 0; size /= 2 {
			for from := 0; from+size <= len(list); {
				without := append(append([]uint32{}, list[:from]...), list[from+size:]...)
				if try(without) {
					again = true
				} else {
					from += size
				}
			}
		}
		for i := 0; i < len(list); i++ {
			for _, v := range []uint32{0, list[i] / 2, list[i] - 1} {
				if v < list[i] {
					smaller := append([]uint32{}, list...)
					smaller[i] = v
					if try(smaller) {
						again = true
						break
					}
				}
			}
		}
	}
	return list
}
