// Runs arrivals through upstream's queue sets in simulated time. Reads one JSON case per line, writes one JSON result per
// line: the requests in the order in which they were dispatched, with times, and the rejected ones.
package main

import (
	"bufio"
	"container/heap"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fqrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

type arrival struct {
	AtMs      int64  `json:"atMs"`
	Hash      string `json:"hash"`
	Initial   uint64 `json:"initialSeats"`
	Final     uint64 `json:"finalSeats"`
	LatencyMs int64  `json:"additionalLatencyMs"`
	ServiceMs int64  `json:"serviceMs"`
}

type scenario struct {
	Seats    int       `json:"seats"`
	Queues   int       `json:"queues"`
	HandSize int       `json:"handSize"`
	Limit    int       `json:"queueLengthLimit"`
	Arrivals []arrival `json:"arrivals"`
}

type dispatch struct {
	Index int   `json:"index"`
	AtMs  int64 `json:"atMs"`
}

type outcome struct {
	Dispatched []dispatch `json:"dispatched"`
	Rejected   []int      `json:"rejected"`
}

type event struct {
	at    time.Time
	order int
	run   func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at.Before(e[j].at) || e[i].at.Equal(e[j].at) && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	*e = old[:len(old)-1]
	return last
}

// simulation is a clock whose time passes from event to event. Only one goroutine runs at a time.
type simulation struct {
	now     time.Time
	pending events
	order   int
}

func (s *simulation) Now() time.Time                  { return s.now }
func (s *simulation) Since(t time.Time) time.Duration { return s.now.Sub(t) }
func (s *simulation) Sleep(time.Duration)             { panic("not simulated") }
func (s *simulation) EventAfterDuration(f eventclock.EventFunc, d time.Duration) {
	s.schedule(s.now.Add(d), func() { f(s.now) })
}
func (s *simulation) EventAfterTime(f eventclock.EventFunc, t time.Time) {
	s.schedule(t, func() { f(s.now) })
}
func (s *simulation) schedule(at time.Time, run func()) {
	heap.Push(&s.pending, event{at: at, order: s.order, run: run})
	s.order++
}

type ignored struct{}

func (ignored) Inc()                   {}
func (ignored) Dec()                   {}
func (ignored) Add(float64)            {}
func (ignored) Sub(float64)            {}
func (ignored) Set(float64)            {}
func (ignored) SetToCurrentTime()      {}
func (ignored) SetDenominator(float64) {}

type running struct {
	started, end, ended chan struct{}
}

func simulate(c scenario) outcome {
	start := time.Unix(1_700_000_000, 0)
	sim := &simulation{now: start}
	result := outcome{Dispatched: []dispatch{}, Rejected: []int{}}
	completer, err := queueset.NewQueueSetFactory(sim).BeginConstruction(
		fq.QueuingConfig{Name: "test", DesiredNumQueues: c.Queues, QueueLengthLimit: c.Limit, HandSize: c.HandSize},
		metrics.RatioedGaugePair{RequestsWaiting: ignored{}, RequestsExecuting: ignored{}}, ignored{}, ignored{})
	if err != nil {
		panic(err)
	}
	set := completer.Complete(fq.DispatchingConfig{ConcurrencyLimit: c.Seats, ConcurrencyDenominator: c.Seats})
	// Requests that were dispatched in the current step; their goroutines must be past the queue before time passes.
	var fresh []*running
	settle := func() {
		for len(fresh) > 0 {
			next := fresh[0]
			fresh = fresh[1:]
			<-next.started
		}
	}
	for index, a := range c.Arrivals {
		hash, err := strconv.ParseUint(a.Hash, 10, 64)
		if err != nil {
			panic(err)
		}
		sim.schedule(start.Add(time.Duration(a.AtMs)*time.Millisecond), func() {
			r := &running{started: make(chan struct{}), end: make(chan struct{}), ended: make(chan struct{})}
			note := func(inQueue bool) {
				if inQueue {
					return
				}
				result.Dispatched = append(result.Dispatched, dispatch{Index: index, AtMs: sim.now.Sub(start).Milliseconds()})
				fresh = append(fresh, r)
				sim.schedule(sim.now.Add(time.Duration(a.ServiceMs)*time.Millisecond), func() {
					close(r.end)
					<-r.ended
					settle()
				})
			}
			request, _ := set.StartRequest(context.Background(), &fqrequest.WorkEstimate{
				InitialSeats: a.Initial, FinalSeats: a.Final, AdditionalLatency: time.Duration(a.LatencyMs) * time.Millisecond,
			}, hash, "", "schema", index, "user", note)
			if request == nil {
				result.Rejected = append(result.Rejected, index)
				return
			}
			go func() {
				request.Finish(func() {
					close(r.started)
					<-r.end
				})
				close(r.ended)
			}()
			settle()
		})
	}
	for len(sim.pending) > 0 {
		next := heap.Pop(&sim.pending).(event)
		sim.now = next.at
		next.run()
		settle()
	}
	return result
}

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := json.NewEncoder(os.Stdout)
	decoder := json.NewDecoder(input)
	for decoder.More() {
		var c scenario
		if err := decoder.Decode(&c); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := output.Encode(simulate(c)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
