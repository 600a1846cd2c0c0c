package krew

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// File is one file of an archive.
type File struct {
	Name    string
	Mode    fs.FileMode
	Content []byte
}

// Write packs files, in the order given and all with the same time, into the
// platform's kind of archive: zip for Windows, else a compressed tar. Nothing
// else enters it, neither owners nor the machine's name or clock.
func Write(w io.Writer, p Platform, files []File, at time.Time) error {
	pack := writeTar
	if p.windows() {
		pack = writeZip
	}
	if err := pack(w, files, at.UTC().Truncate(time.Second)); err != nil {
		return fmt.Errorf("cannot write %s: %w", p.Archive(), err)
	}
	return nil
}

func writeTar(w io.Writer, files []File, at time.Time) error {
	zw, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	tw := tar.NewWriter(zw)
	for _, f := range files {
		err := tw.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
			Name: f.Name, Mode: int64(f.Mode.Perm()), Size: int64(len(f.Content)), ModTime: at,
		})
		if err != nil {
			return err
		}
		if _, err := tw.Write(f.Content); err != nil {
			return err
		}
	}
	if err := tw.Close(); err != nil {
		return err
	}
	return zw.Close()
}

func writeZip(w io.Writer, files []File, at time.Time) error {
	zw := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.Mode)
		fw, err := zw.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := fw.Write(f.Content); err != nil {
			return err
		}
	}
	return zw.Close()
}
