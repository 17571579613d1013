// Writes random objects of every kind that the Go types know, as JSON and as Protobuf, one per line:
//
//	go run . -seed 1 -count 2 > objects.jsonl
//
// `json` is what Go makes of the object after it went through Protobuf, `protobuf` are the bytes it came from, and `again`
// those that Go makes of that JSON.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"sort"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	apiregistrationv1beta1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1beta1"
	"sigs.k8s.io/randfill"
)

type object struct {
	Kind     string `json:"kind"`
	Seed     int64  `json:"seed"`
	JSON     string `json:"json"`
	Protobuf []byte `json:"protobuf"`
	Again    []byte `json:"again"`
}

// Sets of what to fill an object with: how often a pointer is nil, how long lists are, how deep it goes.
var fillings = []struct {
	nilChance     float64
	count, levels int
}{{.2, 2, 6}, {.5, 3, 8}, {.8, 1, 12}, {.05, 2, 5}}

func main() {
	seed := flag.Int64("seed", time.Now().UnixNano()%1e9, "seed of the random numbers")
	count := flag.Int("count", 2, "objects of each kind; the first is the zero value")
	flag.Parse()
	fmt.Fprintln(os.Stderr, "seed", *seed)
	s := scheme.Scheme
	for _, add := range []func(*runtime.Scheme) error{
		admissionv1.AddToScheme, admissionv1beta1.AddToScheme, apidiscoveryv2.AddToScheme, imagepolicyv1alpha1.AddToScheme, apiextensionsv1.AddToScheme,
		apiextensionsv1beta1.AddToScheme, apiregistrationv1.AddToScheme, apiregistrationv1beta1.AddToScheme, metav1.AddMetaToScheme,
	} {
		must(add(s))
	}
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	lines := json.NewEncoder(writer)
	lines.SetEscapeHTML(false)
	for _, gvk := range kinds(s) {
		for i := 0; i < *count; i++ {
			own := *seed + int64(i)*7919
			must(lines.Encode(make1(s, gvk, own, i)))
		}
	}
}

func kinds(s *runtime.Scheme) []schema.GroupVersionKind {
	var all []schema.GroupVersionKind
	for gvk, t := range s.AllKnownTypes() {
		// Tables have no Protobuf, events of a watch no envelope; options are the same in all groups.
		if t.Kind() != reflect.Struct || gvk.Version == "__internal" || gvk.Kind == "Table" || gvk.Kind == "TableOptions" || gvk.Kind == "WatchEvent" {
			continue
		}
		if t.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" && gvk.GroupVersion().String() != "v1" && gvk.Group != metav1.GroupName {
			continue
		}
		all = append(all, gvk)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].String() < all[j].String() })
	return all
}

func make1(s *runtime.Scheme, gvk schema.GroupVersionKind, seed int64, i int) object {
	protobufs := protobuf.NewSerializer(s, s)
	jsons := jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, s, s, jsonserializer.SerializerOptions{})
	encode := func(serializer runtime.Serializer, o runtime.Object) []byte {
		o.GetObjectKind().SetGroupVersionKind(gvk)
		var b bytes.Buffer
		must(serializer.Encode(o, &b))
		return b.Bytes()
	}
	decode := func(serializer runtime.Serializer, b []byte) runtime.Object {
		o, err := s.New(gvk)
		must(err)
		_, _, err = serializer.Decode(b, nil, o)
		must(err)
		return o
	}
	o, err := s.New(gvk)
	must(err)
	if i > 0 {
		f := fillings[(i-1)%len(fillings)]
		randfill.NewWithSeed(seed).NilChance(f.nilChance).NumElements(0, f.count).MaxDepth(f.levels).Funcs(functions()...).Fill(o)
	}
	sent := encode(protobufs, o)
	shown := encode(jsons, decode(protobufs, sent))
	return object{gvk.GroupVersion().String() + " " + gvk.Kind, seed, strings.TrimSpace(string(shown)), sent, encode(protobufs, decode(jsons, shown))}
}

var quantities = []string{
	"0", "1", "100m", "1.5", "12Mi", "3Ki", "5e3", "1E", "-2", "0.001", "1n", "10u", "123456789012345678901234567890", "1Ei", "2.25Gi", "1500m", "-1500Mi", "1e-3", "9223372036854775807", "10k",
}

func functions() []any {
	return []any{
		func(v *string, c randfill.Continue) { *v = text(c) },
		func(v *metav1.TypeMeta, c randfill.Continue) {},
		func(v *runtime.Object, c randfill.Continue) {},
		func(v *metav1.Time, c randfill.Continue) { *v = metav1.NewTime(moment(c).Truncate(time.Second)) },
		func(v *metav1.MicroTime, c randfill.Continue) { *v = metav1.NewMicroTime(moment(c).Truncate(time.Microsecond)) },
		func(v *metav1.Duration, c randfill.Continue) {
			v.Duration = pick(c, 0, time.Duration(math.MinInt64), time.Duration(math.MaxInt64), -time.Duration(c.Intn(1e12)), time.Duration(c.Intn(1<<uint(1+c.Intn(60)))))
		},
		func(v *resource.Quantity, c randfill.Continue) { *v = resource.MustParse(quantities[c.Intn(len(quantities))]) },
		func(v *intstr.IntOrString, c randfill.Continue) {
			*v = pick(c, intstr.FromString(text(c)), intstr.FromInt32(math.MinInt32), intstr.FromInt32(int32(c.Uint32())))
		},
		func(v *runtime.RawExtension, c randfill.Continue) {
			v.Raw = pick(c, nil, encodeJSON(map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "x": value(c, 0)}))
		},
		func(v *metav1.FieldsV1, c randfill.Continue) {
			v.Raw = encodeJSON(map[string]any{"f:metadata": map[string]any{"f:labels": map[string]any{".": map[string]any{}, "f:" + plain(c.String(4)): map[string]any{}}}})
		},
		func(v *apiextensionsv1.JSON, c randfill.Continue) { v.Raw = encodeJSON(value(c, 0)) },
		func(v *apiextensionsv1beta1.JSON, c randfill.Continue) { v.Raw = encodeJSON(value(c, 0)) },
		func(v *apiextensionsv1.JSONSchemaPropsOrArray, c randfill.Continue) {
			if c.Bool() {
				v.Schema = fill(c, &apiextensionsv1.JSONSchemaProps{})
			} else {
				v.JSONSchemas = []apiextensionsv1.JSONSchemaProps{{Type: "string"}, {Title: text(c)}}[:1+c.Intn(2)]
			}
		},
		func(v *apiextensionsv1beta1.JSONSchemaPropsOrArray, c randfill.Continue) {
			if c.Bool() {
				v.Schema = fill(c, &apiextensionsv1beta1.JSONSchemaProps{})
			} else {
				v.JSONSchemas = []apiextensionsv1beta1.JSONSchemaProps{{Type: "string"}, {Title: text(c)}}[:1+c.Intn(2)]
			}
		},
		func(v *apiextensionsv1.JSONSchemaPropsOrBool, c randfill.Continue) {
			if v.Allows = c.Bool(); v.Allows && c.Bool() {
				v.Schema = fill(c, &apiextensionsv1.JSONSchemaProps{})
			}
		},
		func(v *apiextensionsv1beta1.JSONSchemaPropsOrBool, c randfill.Continue) {
			if v.Allows = c.Bool(); v.Allows && c.Bool() {
				v.Schema = fill(c, &apiextensionsv1beta1.JSONSchemaProps{})
			}
		},
		func(v *apiextensionsv1.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if c.Bool() {
				v.Schema = &apiextensionsv1.JSONSchemaProps{Title: text(c)}
			} else {
				v.Property = []string{text(c), text(c)}[:1+c.Intn(2)]
			}
		},
		func(v *apiextensionsv1beta1.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if c.Bool() {
				v.Schema = &apiextensionsv1beta1.JSONSchemaProps{Title: text(c)}
			} else {
				v.Property = []string{text(c), text(c)}[:1+c.Intn(2)]
			}
		},
		// What a double carries, and the two ends.
		func(v *int64, c randfill.Continue) {
			*v = pick(c, 0, math.MinInt64, math.MaxInt64, -int64(c.Uint64()>>12), int64(c.Uint64()>>uint(12+c.Intn(50))))
		},
		func(v *int32, c randfill.Continue) {
			*v = pick(c, 0, math.MinInt32, math.MaxInt32, int32(c.Uint32()>>uint(c.Intn(32))))
		},
		func(v *float64, c randfill.Continue) {
			*v = pick(c, 0, -1e300*c.Float64(), (c.Float64()-.5)*math.Pow(10, float64(c.Intn(30)-15)))
		},
	}
}

func fill[T any](c randfill.Continue, v *T) *T {
	c.Fill(v)
	return v
}

func pick[T any](c randfill.Continue, values ...T) T { return values[c.Intn(len(values))] }

func moment(c randfill.Continue) time.Time {
	micros := int64(c.Intn(1e6))
	seconds := int64(c.Intn(2e9))
	return pick(c, time.Time{}, time.UnixMicro(-seconds*1e6+micros), time.UnixMicro(253402300799*1e6-micros), time.UnixMicro(seconds*1e6+micros), time.Unix(seconds, 0)).UTC()
}

func text(c randfill.Continue) string {
	switch c.Intn(8) {
	case 0:
		return ""
	case 1:
		return strings.Repeat("x", c.Intn(300))
	case 2:
		return "a\u2028<>&\"\\\n\t\x7f\x00é漢😀"
	case 3:
		return "__proto__"
	}
	return c.String(12)
}

// Go escapes these in the JSON of raw values, and need not: they would make bytes differ that say the same.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("&<>\u2028\u2029", r) {
			return -1
		}
		return r
	}, s)
}

func value(c randfill.Continue, depth int) any {
	switch n := c.Intn(7); {
	case n == 0:
		return plain(c.String(8))
	case n == 1:
		return c.Intn(1000) - 500
	case n == 2:
		return c.Float64() * 1e6
	case n == 3:
		return c.Bool()
	case n == 4 && depth < 3:
		list := []any{}
		for i := c.Intn(3); i > 0; i-- {
			list = append(list, value(c, depth+1))
		}
		return list
	case n == 5 && depth < 3:
		object := map[string]any{}
		for i := c.Intn(3); i > 0; i-- {
			object["k"+plain(c.String(6))] = value(c, depth+1)
		}
		return object
	}
	return nil
}

func encodeJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	must(e.Encode(v))
	return bytes.TrimSpace(b.Bytes())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
