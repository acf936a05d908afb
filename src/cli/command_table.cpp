// The commands, in the order in which help lists them. Wording as for flags (flag_table.cpp).
#include <algorithm>
#include <array>

#include "cli/flag.hpp"

namespace thrum::cli {
namespace {

constexpr auto kCommands = std::to_array<CommandInfo>({
    {.command = Command::run,
     .name = "run",
     .arguments = "URL|NAME",
     .help = "send requests to a URL and say what came of it",
     .more = "thrum URL does the same. Without -rate each of -c requests in flight is followed by the next as soon as it is answered; with "
             "-rate requests leave on "
             "schedule. At its end: a verdict in plain words, or (-json) a report for programs. A host without a scheme is guessed. "
             "thrum run NAME sends what [run.NAME] in thrum.toml says. Exit "
             "code 1: "
             "nothing was answered; 4: a condition of -fail-if held.",
     .examples = "thrum http://127.0.0.1:18080/\n"
                 "thrum run -z 30s -c 50 -m POST -H 'Content-Type: application/json' -d '{\"key\":\"value\"}' http://127.0.0.1:18080/echo\n"
                 "thrum -rate 500/s -z 1m -fail-if 'p99>250ms' -json http://127.0.0.1:18080/api/products"},
    {.command = Command::attack,
     .name = "attack",
     .help = "send requests at a rate and write what came of each",
     .more =
         "Requests leave on schedule whatever the server does. Results go to stdout (or -output) for report and encode to read; on a "
         "terminal a text report is shown instead. Ctrl-C once: stop sending, wait for the answers, write everything. Twice: cut what is "
         "in flight.",
     .examples = "echo \"GET http://127.0.0.1:18080/\" | thrum attack -rate=100 -duration=10s | thrum report\n"
                 "thrum attack -targets=targets.txt -rate=500 -duration=1m -name=before -output=before.bin"},
    {.command = Command::report,
     .name = "report",
     .arguments = "[FILE...]",
     .help = "say in numbers what came of an attack",
     .more = "Reads results in any of the four encodings, from any number of files or from stdin, and reports on all of them together.",
     .examples = "thrum report results.bin\n"
                 "thrum report -type=json before.bin after.bin | jq .latencies"},
    {.command = Command::plot,
     .name = "plot",
     .arguments = "[FILE...]",
     .help = "draw what came of attacks: one HTML page",
     .more = "Reads results in any of the four encodings, from any number of files or from stdin. The page needs no network and no other "
             "file. Where results have no name, or the same, it tells them apart by their files.",
     .examples = "thrum plot results.bin > plot.html\n"
                 "thrum plot -title=\"Stepped ramp\" -output=ramp.html step50.bin step100.bin step150.bin"},
    {.command = Command::encode,
     .name = "encode",
     .arguments = "[FILE...]",
     .help = "turn results from one encoding into another",
     .more =
         "Reads results in any of the four encodings, from any number of files or from stdin. Results of several files come in turn, one "
         "of each.",
     .examples = "thrum encode results.bin | jq -c .code\n"
                 "thrum encode -to=csv -csv-header -output=results.csv results.bin"},
    {.command = Command::capacity,
     .name = "capacity",
     .arguments = "[URL]",
     .help = "find the highest rate that a target holds",
     .more =
         "Tries rates on warm connections, each for a few seconds: twice as many until one fails, then between the two, until the gap is "
         "2 %. What is found is held twice for 20 seconds. A rate holds if all of -slo does, and if latency doesn't keep growing. It takes "
         "a minute or two. Exit code 4: no rate held.",
     .examples = "thrum capacity -slo='p99<200ms, success>99.9%' http://127.0.0.1:18080/api/report\n"
                 "thrum capacity -slo='p95<50ms' -targets=targets.txt -from=1000/s -html=capacity.html"},
    {.command = Command::shape,
     .name = "shape",
     .arguments = "RATE",
     .help = "draw a rate over time, and count its hits",
     .more =
         "Shows what attack -rate=RATE would do: a drawing, how many hits there are, the highest rate and the mean, and a line for each "
         "stage. docs/rates.md explains how rates are written.",
     .examples = "thrum shape '10..500/s over 1m, hold 5m'\n"
                 "thrum shape 'sine mean 100/s amp 50/s period 20m' -duration=1h"},
    {.command = Command::control,
     .name = "control",
     .arguments = "SOCKET COMMAND",
     .help = "change an attack that is running",
     .more =
         "Speaks to the socket that attack -control has made. Commands: rate RATE (any rate or shape, from now on), pause, resume, stop "
         "(send no more, wait for the answers), cut (end what is in flight, too), status (the line of progress).",
     .examples = "thrum control /tmp/run.sock rate 500/s\n"
                 "thrum control /tmp/run.sock pause"},
    {.command = Command::doctor,
     .name = "doctor",
     .arguments = "[URL]",
     .help = "look for what this machine would do to the figures",
     .more = "Open files, local ports, listen queues, cores and quotas, memory, clocks and timers, each with its number and what to do "
             "about it. "
             "It sends nothing and changes nothing. Told what is planned (flags, the target's URL), it says whether that will be met. Exit "
             "code "
             "3: something is worse than a note.",
     .examples = "thrum doctor\n"
                 "thrum doctor -rate=5000 -connections=200 http://127.0.0.1:18080/\n"
                 "thrum doctor -json | jq -r '.findings[] | select(.cure) | .cure'"},
    {.command = Command::serve,
     .name = "serve",
     .help = "be a server to attack, until Ctrl-C",
     .more = "It answers /, /api/products, /api/report, /api/login, /api/me and, for experiments, /status/N, /bytes/N, /delay?ms=N, /echo, "
             "/redirect/N, /chunked/N and /close (docs/serve.md).",
     .examples = "thrum serve\n"
                 "thrum serve -addr 127.0.0.1:0 -workers 8 -work 10ms"},
    {.command = Command::schema,
     .name = "schema",
     .arguments = "run",
     .help = "print the JSON Schema of a report",
     .more = "Of the report that thrum run -json prints. Within a version fields are added; none is renamed or changes its type.",
     .examples = "thrum schema run\n"
                 "thrum schema run > run.schema.json"},
    {.command = Command::version,
     .name = "version",
     .help = "print version, commit, compiler and date",
     .examples = "thrum version\nthrum -version"},
    {.command = Command::help,
     .name = "help",
     .arguments = "[COMMAND]",
     .help = "explain thrum, or one of its commands",
     .examples = "thrum help attack\nthrum attack -h"},
});

constexpr CommandInfo kNoCommand{
    .command = Command::none,
    .name = "",
    .help = "an HTTP load tester",
    .more =
        "thrum URL sends requests and says what came of it. thrum attack sends requests at a constant rate and writes a record of each; "
        "thrum report, plot and encode read those records. thrum serve is a server to try it all on.",
    .examples =
        "thrum serve\n"
        "thrum http://127.0.0.1:18080/api/products\n"
        "echo \"GET http://127.0.0.1:18080/\" | thrum attack -rate=100 -duration=10s | thrum report"};

}  // namespace

std::span<const CommandInfo> command_table() { return kCommands; }

const CommandInfo& info(Command command) {
  const auto* const found = std::find_if(kCommands.begin(), kCommands.end(), [&](const CommandInfo& c) { return c.command == command; });
  return found == kCommands.end() ? kNoCommand : *found;
}

std::string_view heading(Group group, Command command) {
  switch (group) {
    case Group::input:
      return command == Command::attack || command == Command::run ? "What to send"
             : command == Command::serve                           ? "Where to listen"
                                                                   : "What to read";
    case Group::pace:
      return command == Command::serve      ? "How fast to answer"
             : command == Command::shape    ? "What to show"
             : command == Command::doctor   ? "What is planned"
             : command == Command::capacity ? "What to find"
                                            : "How fast, how long";
    case Group::expectations:
      return "What to expect of responses";
    case Group::connections:
      return "Connections and TLS";
    case Group::guards:
      return "Guardrails and settings";
    case Group::output:
      return command == Command::attack ? "Results" : "Output";
    case Group::everywhere:
      break;
  }
  return "Everywhere";
}

}  // namespace thrum::cli
