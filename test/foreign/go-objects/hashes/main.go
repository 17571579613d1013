// Writes what kube-controller-manager names after pod templates:
//
//	go run ./hashes -types > ../../../proto/pod-template.json
//	go run ./hashes -seed 1 -count 300 > hashes.jsonl
//
// With -types, the Go types inside a pod template: fields of structs as `Name json type`, where the JSON name of an embedded struct is
// missing, and the type behind other names. Otherwise, random templates as JSON, with the hash that they have after they went through Protobuf.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/dump"
	"sigs.k8s.io/randfill"
)

type sample struct {
	Seed       int64           `json:"seed"`
	Template   json.RawMessage `json:"template"`
	Collisions *int32          `json:"collisions,omitempty"`
	Hash       string          `json:"hash"`
}

func main() {
	types := flag.Bool("types", false, "write the types instead of templates")
	seed := flag.Int64("seed", 1, "seed of the random numbers")
	count := flag.Int("count", 300, "number of templates")
	flag.Parse()
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	lines := json.NewEncoder(writer)
	lines.SetEscapeHTML(false)
	if *types {
		all := map[string]any{}
		describe(all, reflect.TypeFor[corev1.PodTemplateSpec]())
		lines.SetIndent("", " ")
		must(lines.Encode(all))
		return
	}
	for i := range int64(*count) {
		must(lines.Encode(random(*seed+i, i)))
	}
}

// Leaves whose content has rules of its own.
var leaves = []reflect.Type{reflect.TypeFor[metav1.Time](), reflect.TypeFor[resource.Quantity](), reflect.TypeFor[intstr.IntOrString](), reflect.TypeFor[metav1.FieldsV1]()}

func describe(all map[string]any, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		describe(all, t.Elem())
	case reflect.Map:
		describe(all, t.Key())
		describe(all, t.Elem())
	}
	if t.Name() == "" || t.PkgPath() == "" || all[t.String()] != nil {
		return
	}
	for _, leaf := range leaves {
		if t == leaf {
			return
		}
	}
	if t.Kind() != reflect.Struct {
		all[t.String()] = under(t)
		if t.Kind() == reflect.Map || t.Kind() == reflect.Slice {
			describe(all, t.Elem())
		}
		return
	}
	fields := []string{}
	all[t.String()] = &fields
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		fields = append(fields, strings.Join([]string{field.Name, name, field.Type.String()}, " "))
		describe(all, field.Type)
	}
}

func under(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Map:
		return "map[" + t.Key().String() + "]" + t.Elem().String()
	case reflect.Slice:
		return "[]" + t.Elem().String()
	}
	return t.Kind().String()
}

var quantities = []string{"0", "1", "100m", "1500m", "12Mi", "16Mi", "3Ki", "5e3", "1E", "-2", "1n", "10u", "123456789012345678901234567890", "1Ei", "100Ti", "2304Mi", "-1500Mi", "1e-3", "9223372036854775807", "10k", "1000", "2G"}

func random(seed, i int64) sample {
	template := &corev1.PodTemplateSpec{}
	nils := []float64{.5, .8, .2, .95}[i%4]
	randfill.NewWithSeed(seed).NilChance(nils).NumElements(0, 2).MaxDepth(10).Funcs(
		func(v *metav1.Time, c randfill.Continue) {},
		func(v **metav1.Time, c randfill.Continue) {},
		func(v *[]metav1.ManagedFieldsEntry, c randfill.Continue) {},
		func(v *resource.Quantity, c randfill.Continue) { *v = resource.MustParse(quantities[c.Intn(len(quantities))]) },
		func(v *intstr.IntOrString, c randfill.Continue) {
			if *v = intstr.FromInt32(int32(c.Uint32())); c.Bool() {
				*v = intstr.FromString(c.String(6))
			}
		},
		// What a double carries.
		func(v *int64, c randfill.Continue) { *v = int64(c.Uint64()>>uint(12+c.Intn(50))) - int64(c.Intn(2))*1000 },
	).Fill(template)
	var collisions *int32
	if i%3 > 0 {
		collisions = new(int32)
		*collisions = int32(i)
	}
	// What a controller reads came as Protobuf.
	bytes, err := template.Marshal()
	must(err)
	read := &corev1.PodTemplateSpec{}
	must(read.Unmarshal(bytes))
	text, err := json.Marshal(read)
	must(err)
	return sample{seed, text, collisions, computeHash(read, collisions)}
}

func computeHash(template *corev1.PodTemplateSpec, collisions *int32) string {
	hasher := fnv.New32a()
	fmt.Fprintf(hasher, "%v", dump.ForHash(*template))
	if collisions != nil {
		bytes := make([]byte, 8)
		binary.LittleEndian.PutUint32(bytes, uint32(*collisions))
		hasher.Write(bytes)
	}
	return rand.SafeEncodeString(fmt.Sprint(hasher.Sum32()))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
