package report

import (
	"cmp"
	"io"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/termsafe"
)

// Column is a table column; a wide one is left out unless asked for.
type Column struct {
	Name string
	Wide bool
}

// Table writes rows the way kubectl does: columns as wide as their widest cell,
// as far apart as Gap says, nothing after the last.
type Table struct {
	Columns []Column
	// Gap is the space between columns, 3 if 0.
	Gap  int
	rows [][]cell
}

type cell struct {
	text  termsafe.Text
	paint func(string) string
}

// Plain is a cell without colour.
func Plain(s string) cell { return cell{text: termsafe.Line(s)} }

// Painted is a cell in a style.
func Painted(s string, paint func(string) string) cell { return cell{termsafe.Line(s), paint} }

// Add appends a row; it has one cell for each column.
func (t *Table) Add(cells ...cell) { t.rows = append(t.rows, cells) }

// Write writes the table.
func (t *Table) Write(w io.Writer, wide, headers bool) error {
	shown := make([]int, 0, len(t.Columns))
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		if c.Wide && !wide {
			continue
		}
		shown = append(shown, i)
		if headers {
			widths[i] = len(c.Name)
		}
		for _, r := range t.rows {
			widths[i] = max(widths[i], r[i].text.Width())
		}
	}
	var b strings.Builder
	line := func(at func(i int) cell) {
		for n, i := range shown {
			c := at(i)
			text := c.text.String()
			if n < len(shown)-1 {
				text = c.text.Pad(widths[i])
			}
			if c.paint != nil {
				text = c.paint(strings.TrimRight(text, " ")) + strings.Repeat(" ", len(text)-len(strings.TrimRight(text, " ")))
			}
			b.WriteString(text)
			if n < len(shown)-1 {
				b.WriteString(strings.Repeat(" ", cmp.Or(t.Gap, 3)))
			}
		}
		b.WriteByte('\n')
	}
	if headers {
		line(func(i int) cell { return Plain(t.Columns[i].Name) })
	}
	for _, r := range t.rows {
		line(func(i int) cell { return r[i] })
	}
	_, err := io.WriteString(w, b.String())
	return err
}
