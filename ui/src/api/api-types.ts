// Made by tools/generate_api.py from the application itself; do not edit.

/** How a job wrote to one mount, or read from it. */
export interface AccessPattern {
  /** Identity of the mount. */
  mount: string;
  /** The pattern of the phases that hold four fifths of all bytes, and nine tenths of the bytes in phases with a known pattern. Without such a pattern: mixed where phases with known patterns differ, else unknown. Without writes (reads): "none". If much is read again, the first, sequential reading counts as re-read, too. */
  pattern: string;
  /** Mean bytes per chunk in the phase of this pattern with the most bytes; null where that is not known. */
  chunk_bytes: number | null;
  /** Period of the bursts in the same phase; null where they are not periodic. */
  period: Period | null;
  /** Bytes written (read). */
  bytes: number;
  /** Whether the runtime recorded where calls begin: for writes since version 0.3, for reads since 0.5. */
  followed: boolean;
  /** All phases in order of time, including the silent ones between the others. */
  phases: AccessPhase[];
}

/** A stretch of time in which a job wrote to a mount, or read from it, by one pattern. */
export interface AccessPhase {
  /** One of PATTERNS (for reads: of READ_PATTERNS), mixed, none or unknown. */
  pattern: string;
  /** Start of its first slice, ns since the epoch; in a digest, not before the job's start. */
  start_ns: number;
  /** End of its last slice; in a digest, not after the job's end. */
  end_ns: number;
  /** Number of its slices in which anything was written (read). */
  active_slices: number;
  /** Bytes written (read). */
  bytes: number;
  /** Share of the bytes that the job wrote to the mount (read from it), 0 to 1. */
  share: number;
  /** Number of write (read) calls. */
  calls: number;
  /** Mean bytes per chunk of `pattern` (see PatternShare); null if it is mixed, none or unknown. */
  chunk_bytes: number | null;
  /** Mean number of calls that wrote (read) a chunk; null for the same patterns. */
  calls_per_chunk: number | null;
  /** Share of the writes that began beyond the end of the previous write to the file, 0 to 1; 0 for reads. */
  gapped: number;
  /** Whether steps back and gaps between writes alternate. Then it is not known whether the file is written all over, or grows while its header is updated. False for reads. */
  scattered: boolean;
  /** The access patterns found in the phase, the one with the most bytes first. */
  parts: PatternShare[];
  /** Period of the bursts; null where they do not recur, or are too few to decide. */
  period: Period | null;
  /** A sentence with the numbers from which `pattern` was derived. */
  evidence: string;
}

/** An access to another user's job. */
export interface AccessRecord {
  /** time of the access, UTC: `2026-11-26T09:30:00Z` */
  time: string;
  viewer: string;
  role: 'user' | 'manager' | 'support' | 'administrator';
  address: string;
  job: string;
  /** uid of the job's owner; null: several users own it */
  owner: number | null;
}

/** Accesses to others' jobs, the newest first. */
export interface AccessRecords {
  looks: AccessRecord[];
  /** value of the parameter `before` for the next page; null: this page is the last */
  before: number | null;
}

/** How a job reads its files, or how it writes them. */
export interface AccessShape {
  /** read or write. */
  direction: string;
  /** Number of calls (posix and stdio). */
  ops: number;
  /** Bytes moved. */
  bytes: number;
  /** Mean bytes per call; 0 without calls. */
  mean_bytes: number;
  /** Number of calls (posix and stdio) by size, 32 buckets. Bucket b counts sizes in [2^(b-1), 2^b); bucket 0 counts size 0, and bucket 31 all sizes from 2^30 on. */
  histogram: number[];
  /** Lower bound of the most frequent bucket, bytes. */
  common_low: number;
  /** Upper bound of the most frequent bucket, exclusive, bytes. */
  common_high: number;
  /** Share of the calls in the histogram that are below 4 KiB. */
  small_share: number;
  /** Number of seeks per call, of reads and writes together. */
  seeks_per_op: number;
  /** Access pattern, in words. It is that of the mount with most of the bytes (see AccessPattern), if that is known. Otherwise it follows from the sizes of calls: "many small", "large", "mixed sizes" or "none", with "seeking" where seeks are frequent. */
  pattern: string;
}

/** The part of a job's waiting for cores that one user of these cores caused. */
export interface AccountPart {
  /** Name of the other job or of the load without a profile; for other kinds, a description of the user. */
  name: string;
  /** Kind of the user. job: another job; unprofiled: load without a profile; own: other threads of the same job; limit: the CPU limit of its control group; steal: the hypervisor; unknown: the user of the cores is not known. */
  kind: 'job' | 'unprofiled' | 'own' | 'limit' | 'steal' | 'unknown';
  /** Time of waiting, added up over the job's threads. */
  seconds: Interval;
}

/** Advice which kind of tool to use next, and why. */
export interface Advice {
  /** Name of the rule that gave the advice. */
  rule: string;
  /** Kind of tool that is recommended. */
  kind: string;
  /** Examples of such tools. */
  tools: string[];
  /** What the digest shows, and what such a tool adds. */
  why: string;
}

/** The verdict is being computed: retry in a moment. */
export interface Assessment {
  state: 'assessing';
  job: JobRow;
  /** null: the verdict on another job is computed first */
  progress: VerdictProgress | null;
}

/** The part of a loss that one suspect caused. */
export interface AttributedSuspect {
  /** Name of the suspect. */
  job: string;
  /** Uid of the suspect's owner; null if it is not shown. */
  user: number | null;
  /** Program of the suspect; "" if it is not shown. */
  program: string;
  /** Resources on which the suspect caused losses, the costliest first. */
  resources: string[];
  /** Run time that the suspect cost the job, in seconds. */
  seconds: Interval;
  /** Part of the whole loss, 0 to 1. */
  share: number;
  /** Number of slices in which both were active on a resource; of several resources, the largest number. */
  slices: number;
  /** Correlation of the suspect's load on the first resource with the job's service time. */
  correlation: number;
  /** Access pattern of the suspect on the first resource, for users. */
  pattern: string;
  /** Kind of suspect: a job, load without a profile, or a slow server. */
  kind: 'job' | 'unprofiled' | 'server';
  /** Method by which the suspect was found, in words (see `found_by`). */
  how: string;
  /** For a suspect by account, result of the statistical test of its load on the first resource, part of a sentence; "" where no test was possible. */
  agreement: string;
  /** Whether the statistical test had a result; if not, `correlation` has no meaning. */
  tested: boolean;
}

/** A loss divided among suspects: their shares and the unexplained one add up to 1. */
export interface Attribution {
  /** The loss, in seconds. */
  lost_s: Interval;
  /** Suspects that caused a part of it, the greatest first. */
  suspects: AttributedSuspect[];
  /** Loss that all suspects together caused, in seconds. */
  explained_s: Interval;
  /** Loss that no suspect explains, in seconds. */
  unexplained_s: Interval;
  /** Unexplained part of the loss, 0 to 1; 0 without a loss. */
  unexplained_share: number;
  /** Number of slices in which time was lost, whatever the cause. */
  lost_slices: number;
  /** Number of these slices in which a suspect slowed the job. */
  suspect_slices: number;
}

/** How evenly the ranks share the work. */
export interface Balance {
  /** Greatest computing time of a rank divided by the mean over ranks, less 1. */
  imbalance: number;
  /** Number of the rank that computes longest. */
  busiest: number;
  /** Number of the rank that computes least. */
  idlest: number;
  /** Number of the rank that spends least time in collectives, so that the others wait for it; null without collectives. */
  least_waiting: number | null;
  /** Least, mean and greatest computing time of a rank, in seconds. */
  computing_s: Range;
}

/** A batch job, such as Slurm job 12, as a whole. */
export interface BatchJob {
  name: string;
  /** name for users, such as `Slurm job 12` */
  title: string;
  /** number of its parts: the script, steps and mpiruns */
  parts: number;
  /** number of parts that have no verdict yet */
  waiting: number;
  /** time from the start of its first part to the end of its last */
  run_s: number;
  /** null: some parts have no verdict yet */
  loss: LossNumbers | null;
  /** null: no facts are known */
  scheduler: SchedulerFacts | null;
}

/** A problem that a different binding of processes would fix. */
export interface BindingAdvice {
  /** Name of the rule: far GPU, shared GPU, far adapter or same cores. */
  rule: string;
  /** Observation from which the advice follows, with numbers; a sentence. */
  seen: string;
  /** Setting that is to be changed. */
  lever: string;
  /** Lines to paste into a script, for the node of the first case. */
  texts: string[];
  /** Who bears the cost of the change, and what that cost is. */
  pays: string;
  /** Conditions under which the advice should not be followed. */
  unless: string;
  /** Text that says how the saving was predicted, or why none is predicted. */
  saving: string;
  /** Seconds of copies that the change is predicted to save, summed over processes: lower bound, expected value and upper bound. They follow from the slowest, from all and from the fastest comparable copies. null where no saving is predicted. */
  saving_s: [number, number, number] | null;
  /** Sum of `bytes` over all cases. */
  bytes: number;
  /** Sum of `seconds` over all cases. */
  seconds: number;
  /** The processes concerned, those with the most seconds first; at most MOST_CASES. */
  cases: BindingCase[];
  /** Number of cases that are not in `cases`. */
  more_cases: number;
}

/** Processes of one node that a piece of advice is about. */
export interface BindingCase {
  /** Name of the node. */
  host: string;
  /** Ranks of the processes, as "rank 3"; their process ids where they have no rank. */
  who: string;
  /** Cores that the processes may run on, listed as in the kernel ("0-3,8"); "" unknown. */
  cpus: string;
  /** NUMA nodes of these cores, listed in the same way; "" unknown. */
  nodes: string;
  /** Id of the GPU concerned, as in digests; "" for the rule "same cores". */
  gpu: string;
  /** NUMA node of that GPU; -1 if it is unknown, or for the rule "same cores". */
  gpu_node: number;
  /** Bytes that the processes copied to and from the GPU. For the rule "far adapter": bytes that the adapter carried for all jobs. For the rule "same cores": 0. */
  bytes: number;
  /** Time of these copies. For the rule "far adapter": 0. For the rule "same cores": time that the processes waited for cores, summed over threads. */
  seconds: number;
}

/** A verdict in a few values, for a row of the list of jobs. */
export interface Brief {
  /** the traffic light; null: it is undecided */
  light: 'green' | 'yellow' | 'red' | null;
  /** why the light is undecided; empty if it is decided */
  undecided: string;
  /** lost time in percent of `run_s` */
  percent: number;
  /** run time lost to interference, the most likely value */
  lost_s: number;
  /** cause of the largest loss; null: less than 0.5 % of the run time was lost */
  cause: 'file system' | 'network' | 'memory or cpu' | 'memory' | 'cpu' | 'gpu' | 'bus' | 'unknown' | null;
  /** the main causes in words, as `jostle estimate` prints them */
  what: string;
  /** resource with the largest loss; null: not known, or `cause` is null */
  resource: string | null;
  /** run time that was evaluated */
  run_s: number;
  /** core hours that the job's processes lost */
  core_hours: number;
  causes: CauseShare[];
}

/** Calls of one kind and the bytes that they moved, over the ranks of a world. */
export interface CallTraffic {
  /** Kind of call: collective, send, receive, room, sendrecv, complete, one-sided, mpiio read, mpiio write, file read or file write; for calls of a collective library: ccl collective, ccl send or ccl receive. "room" is the size of receive buffers, for receives whose messages' size is not known; the calls of these count under "receive". */
  name: string;
  /** Number of calls per rank. */
  calls: Spread;
  /** Bytes per rank, as docs/reference/metrics.md defines them for each kind of call. */
  bytes: Spread;
  /** Calls per second of the time between MPI_Init and MPI_Finalize; null if no rank recorded that time. */
  calls_per_s: Range;
  /** Bytes per second of the same time. */
  bytes_per_s: Range;
}

/** The run time lost to one cause. */
export interface Cause {
  /** Kind of the resource on which the time was lost. */
  cause: 'file system' | 'network' | 'memory or cpu' | 'memory' | 'cpu' | 'gpu' | 'bus' | 'unknown';
  /** The resource: identity of a mount, name of a node, or "MPI" (the network); "" when it is not known. */
  resource: string;
  /** Run time lost to the cause. */
  seconds: Interval;
  /** How the loss is known: measured (added up from calls and waits), inferred (from clusters of segments), or neighbours (from slices with and without the load of other jobs). */
  how: 'measured' | 'inferred' | 'neighbours';
  /** Why cores were slower, where the core-speed probe or the node's agent shows it; else "". "core speed": cores ran slower, because of programs on their sibling threads or a lower frequency. "steal": steal time. "capped": a limit of the frequency. "heat": throttling because of heat. "power limit": a power limit lower than at other times. "quota": a CPU limit of the job's own control group. */
  kind: '' | 'core speed' | 'steal' | 'capped' | 'heat' | 'power limit' | 'quota';
  /** For the kind "capped" the limit in GHz, for "power limit" the limit in W, for "heat" the temperature in °C; 0: not known. */
  level: number;
}

/** A row of the table of causes. */
export interface CauseRow {
  /** The cause in words. */
  what: string;
  /** The resource; for a mount, the path at which the job sees it. */
  place: string;
  /** Run time lost to this cause on this resource, in seconds. */
  seconds: Interval;
  /** Loss as a part of the run time. */
  share: number;
  /** Method: measured, inferred or neighbours (see `Cause`). */
  how: 'measured' | 'inferred' | 'neighbours';
}

/** The loss of a job to one cause. */
export interface CauseShare {
  what: string;
  place: string;
  lost_s: number;
}

/** A probe alongside a signal. */
export interface Cell {
  probe: string;
  signal: string;
  setting: Setting;
  metric: string;
  repetitions: Repetition[];
  degradation: Summary;
  degradation_best: number | null;
  best: string;
  dilation: Summary;
  signal_degradation: Summary;
}

/** How well the clocks of the job's nodes agree. */
export interface Clock {
  /** Whether all processes found their node's clock synchronised. */
  synchronised: boolean;
  /** Largest error bound of a clock that a node's kernel reported, µs. */
  error_us: number;
  /** Number of jumps of clocks that processes saw. */
  steps: number;
  /** The agreement of the clocks, in one sentence for users; "" for a job on one node. */
  text: string;
}

/** A cluster as `jostle estimate --json` prints it, with its box plot. */
export interface ClusterRow {
  number: number;
  name: string;
  members: number;
  reference_s: number;
  mad_s: number;
  threshold_s: number;
  hit: number;
  excess_s: number;
  total_s: number;
  usable: boolean;
  box: SegmentBox | null;
}

/** The content of `jostle compare --json`; lists have an entry per run in the given order. */
export interface Compared {
  runs: ComparedRun[];
  /** index in `runs` of the fastest run, with which the others are compared */
  baseline: number;
  /** how much longer the slowest run took, and what explains most of it, in words */
  finding: string;
  /** run time minus that of the baseline */
  measured_s: number[];
  /** time lost according to the run's own estimate, minus that of the baseline */
  estimated_s: number[];
  /** further time by which segments took longer than similar ones of the baseline */
  displaced_s: number[];
  /** time of segments that the run has in addition to those of the baseline, minus time of segments that it lacks */
  work_s: number[];
  /** measured_s - estimated_s - displaced_s - work_s */
  unexplained_s: number[];
  /** for each cause, the time that it cost each run, minus that of the baseline */
  by_cause: Record<string, number[]>;
  clusters: ComparedCluster[];
  /** number of clusters that are not listed: small ones, and those beyond the limit */
  more_clusters: number;
  limits: string[];
  run_times: RunTimes;
}

/** A cluster of segments; lists have an entry per run, 0 for a run without the cluster. */
export interface ComparedCluster {
  name: string;
  members: number[];
  reference_s: number[];
  excess_s: number[];
  total_s: number[];
  /** number of the cluster in the estimate of each run */
  numbers: number[];
  boxes: (SegmentBox | null)[];
}

/** The estimate of one run by itself, as `jostle estimate --json` prints it. */
export interface ComparedRun {
  job: string;
  program: string;
  run_s: number;
  start_ns: number;
  ranks: number;
  lost_s: Interval;
  percent: Interval;
  coverage: number;
  light: 'green' | 'yellow' | 'red' | null;
  assessed: boolean;
  sure: number;
  undecided: string;
}

/** The users of a node's cores while a job waited for these cores. */
export interface CoreAccount {
  host: string;
  /** time that the job's threads waited, as the kernel measured it, added up over threads */
  waited_s: number;
  /** this waiting by user of the cores, the largest part first; the sum is waited_s */
  parts: AccountPart[];
  /** true: the use of all cores was counted; false: load without a profile was inferred from the waiting */
  totals_known: boolean;
}

/** Hardware counters: the events requested, those that the machine granted, and their results. */
export interface Counters {
  /** Names of the requested events. */
  asked: string[];
  /** Names of the events that every rank got. */
  granted: string[];
  /** Names of the requested events that some rank did not get. */
  denied: string[];
  /** Instructions in user mode of each rank, per second of the CPU time during which counters counted. */
  instructions_per_s: Range | null;
  /** Instructions per cycle, over all ranks. */
  instructions_per_cycle: number | null;
  /** Last-level cache misses per 1000 instructions, over all ranks. */
  misses_per_kilo: number | null;
  /** Floating-point operations of each rank, per second of the CPU time during which counters counted; by the first PAPI event that counts such operations. */
  flops_per_s: Range | null;
  /** Name of this event; "" without one. */
  flops_event: string;
  /** Count of every granted PAPI event per rank, by name of the event. */
  papi: Record<string, Spread> | null;
  /** Part of the CPU time during which hardware counters counted. They pause where frequent context switches would make them costly. */
  counted_share: number;
}

/** A probe alongside a signal as one setting varies. */
export interface Curve {
  axis: string;
  probe: string;
  signal: string;
  setting: Setting;
  points: CurvePoint[];
}

/** A point of a curve. */
export interface CurvePoint {
  x: number;
  degradation: Summary;
  best: number | null;
}

/** One day of a component and its peers. */
export interface DayOfPeers {
  day: string;
  /** difference of the component from the median of its peers, percent; for a rate, the component's rate itself */
  value: number;
  /** lower end of the range that contains nine of ten peers */
  low: number;
  /** upper end of that range */
  high: number;
  /** true: the component was significantly worse (p < 0.05) */
  worse: boolean;
}

/** By how much a change would delay the start or end of a program's jobs. */
export interface Delay {
  /** Name of the program. */
  program: string;
  /** Number of delayed jobs of the program. */
  jobs: number;
  /** Mean delay of these jobs, in seconds. */
  mean_s: number;
  /** Largest delay of these jobs, in seconds. */
  most_s: number;
}

/** An option that a scheduler shall add to the jobs of a program. */
export interface Directive {
  /** Name of the program. */
  program: string;
  /** The option: `licenses=NAME:COUNT`, `exclusive` or `switches=COUNT@MINUTES`. */
  words: string;
}

/** A slice in which the job lost time to others. */
export interface DisturbedSlice {
  /** Start of the slice. */
  start_ns: number;
  /** Length of the slice. */
  length_ns: number;
  /** The resource on which it lost most. */
  resource: string;
  /** Time lost in the slice. */
  seconds: number;
  /** The suspect that cost most in the slice, or "other users' jobs". */
  suspect: string;
}

/** Comparison of runs of one program (victim) with and without another program (aggressor). */
export interface Encounter {
  /** Program of the runs that are compared. */
  victim: string;
  /** The other program. */
  aggressor: string;
  /** Kind of the resource that both used. */
  resource_kind: 'file system' | 'object servers' | 'metadata server' | 'network' | 'node' | 'memory' | 'gpu' | 'bus';
  /** Number of runs of the victim that ran concurrently with the aggressor. */
  with_runs: number;
  /** Number of runs of the victim that ran without the aggressor. */
  without_runs: number;
  /** Mean service time of the runs with the aggressor, divided by the service time that is usual for undisturbed runs of the victim. */
  with_mean: number;
  /** The same for the runs without the aggressor. */
  without_mean: number;
  /** with_mean divided by without_mean, less 1, with its interval; null: too few runs for a test. */
  slowdown: Slowdown | null;
  /** p values of the Shapiro-Wilk test, first of the runs with the aggressor, then of the runs without it; null: not tested, such as where the group has too few runs. */
  normal: [number | null, number | null];
  /** p value of the Bartlett test of both groups; null: not tested. */
  equal_variance: number | null;
  /** The test that compares the two groups: "ANOVA"; "Kruskal-Wallis" where the assumptions of ANOVA fail; "permutation" where times are known only for whole runs; "": too few runs. */
  test: string;
  /** p value of that test; null: too few runs. */
  p: number | null;
  /** p after control of the false-discovery rate over the matrix; null: too few runs. */
  q: number | null;
}

/** The output of `jostle estimate --json`. */
export interface EstimateReport {
  run_s: number;
  intrinsic_s: number;
  start_ns: number;
  end_ns: number;
  ranks: number;
  lost_s: Interval;
  percent: Interval;
  coverage: number;
  causes: Cause[];
  /** the table of causes, as `jostle estimate` prints it */
  cause_rows: CauseRow[];
  hits: Hit[];
  light: 'green' | 'yellow' | 'red' | null;
  sure: number;
  undecided: string;
  decided_by: string;
  advice: string;
  /** whether the run has a traffic light */
  assessed: boolean;
  limits: string[];
  core_hours_lost: number;
  /** energy that the job's nodes used in the lost time; null: not measured */
  energy_lost_kwh: Interval | null;
}

/** The runs of a program that ran alongside another program, and its other runs. */
export interface EvidenceReport {
  encounter: Encounter;
  alongside: EvidenceRun[];
  without: EvidenceRun[];
}

/** A run from which an encounter (a comparison of two programs) was computed. */
export interface EvidenceRun {
  /** name of the job; null: the viewer may not see the job */
  job: string | null;
  /** time per operation, relative to undisturbed operations of the same program */
  value: number;
}

/** A version of a fabric. */
export interface Fabric {
  name: string;
  /** torus, mesh, fat tree, dragonfly, tree or graph */
  kind: string;
  /** this version is valid from this time on; 0: always */
  valid_from_ns: number;
  nodes: number;
  switches: number;
  /** number of links; a cable is two links, one in each direction */
  links: number;
  dimensions: string[];
  sizes: number[];
  /** for each dimension, whether its two ends are joined */
  wraps: boolean[];
  /** the source from which this version was read */
  origin: string;
  /** sentences on data that could not be read, or was guessed */
  notes: string[];
}

/** A job with traffic on a fabric. */
export interface FabricJob {
  /** name of the job; empty: it is not known which job sent this */
  job: string;
  program: string;
  /** the job's bytes, added up over links: a byte on two links counts twice */
  bytes: number;
  /** part of `bytes` that was computed from models of collectives, 0 to 1 */
  modelled: number;
  /** part of `bytes` whose receivers are not known, 0 to 1; it is divided evenly among possible ones */
  spread: number;
  /** bytes that crossed no link, since sender or receiver is not in the fabric */
  lost_bytes: number;
}

/** The load of a fabric's busiest link in each step of a span, and the jobs with traffic. */
export interface FabricOverview {
  start_ns: number;
  step_ns: number;
  steps: number;
  links: number;
  /** load of the busiest link in each step, bytes/s */
  peaks: number[];
  /** the largest value of `peaks`, bytes/s */
  greatest: number;
  /** number of links whose ports count bytes */
  measured: number;
  /** true: routing is adaptive, so that of some loads only a range is known */
  low_high: boolean;
  /** true: some ports count how long data waited there */
  waiting: boolean;
  /** the job with most bytes first */
  jobs: FabricJob[];
}

/** All versions of all fabrics, and the time in which jobs that the viewer may see ran. */
export interface Fabrics {
  fabrics: Fabric[];
  first_ns: number;
  last_ns: number;
}

/** For each value of a field, the number of jobs that match the filters of all other fields. */
export interface Facets {
  light: Record<string, number>;
  cause: Record<string, number>;
  user: Record<string, number>;
  program: Record<string, number>;
  state: Record<string, number>;
}

/** One number of a job: in total, over its processes, and in other runs of its program. */
export interface Figure {
  name: string;
  unit: 'bytes' | 'ops' | 's';
  total: number;
  /** smallest value of a process; null: the number is not counted per process */
  least: number | null;
  /** mean over the processes; null as for `least` */
  mean: number | null;
  /** largest value of a process; null as for `least` */
  most: number | null;
  /** null: the program has no other finished run */
  others: Quartiles | null;
}

/** The numbers of a job, compared with other runs of its program. */
export interface Figures {
  program: string;
  /** number of other runs with which the job is compared */
  runs: number;
  /** names of these runs if there are fewer than five; else empty */
  others: string[];
  /** the job's number of processes, if all these runs have the same number; null: no other run has as many processes as the job */
  processes: number | null;
  figures: Figure[];
}

/** What a job did with one file, or with the rest: all files that are not listed singly. */
export interface FileDigest {
  /** Path of the file; of a long path the end, after "…". "" if names were not recorded, and for the rest. */
  path: string;
  /** Identity of the mount that the file is on; "" for the rest. */
  mount: string;
  /** Hash of the path, 16 hexadecimal digits; "" for the rest. */
  hash: string;
  /** HDF5 or netCDF, by the file's first bytes; "" if it is a different format or not known, and for the rest. */
  format: string;
  /** Number of files: 1, or the number of files in the rest. */
  files: number;
  /** Number of processes that used the file. For the rest: of the file used by most. */
  processes: number;
  /** Number of calls that opened the file. */
  opens: number;
  /** Number of read calls. */
  reads: number;
  /** Number of write calls. */
  writes: number;
  /** Number of calls that synchronised or flushed the file. */
  syncs: number;
  /** Bytes read. */
  read_bytes: number;
  /** Bytes written. */
  write_bytes: number;
  /** Time in all calls on the file, summed over processes and threads. */
  seconds: number;
  /** Part of this time that was spent in open, close and other metadata calls. */
  meta_s: number;
}

/** What a job did with the files of one format, as far as they were recorded singly. */
export interface FormatDigest {
  /** HDF5 or netCDF. */
  format: string;
  /** Number of these files. */
  files: number;
  /** Bytes read. */
  read_bytes: number;
  /** Bytes written. */
  write_bytes: number;
  /** Time in all calls on them, summed over processes and threads. */
  seconds: number;
}

/** The copies, launches and kernels of a job on one GPU. */
export interface GpuDigest {
  /** Node of the GPU. */
  host: string;
  /** Id of the GPU on its node: PCI bus id, or the UUID of a MIG instance. */
  gpu: string;
  /** Model name; "" unknown. */
  name: string;
  /** Size of the GPU's memory; 0 unknown. */
  memory_bytes: number;
  /** Bytes copied from the host to the GPU. */
  to_bytes: number;
  /** Bytes copied from the GPU to the host. */
  back_bytes: number;
  /** Bytes copied within the GPU's memory. */
  within_bytes: number;
  /** Bytes copied to or from a different GPU. */
  peer_bytes: number;
  /** Bytes per second inside copies from the host to the GPU; null without such copies. */
  to_served: number | null;
  /** Bytes per second inside copies from the GPU to the host; null without such copies. */
  back_served: number | null;
  /** Number of launches of kernels and graphs. */
  launches: number;
  /** Part of the job's run time in which its kernels ran, 0 to 1. null where kernels were not recorded, or where the kernels of several processes add up to more than the run time. */
  busy_share: number | null;
  /** Number of copies that were not counted, since CUPTI dropped their records. */
  lost_records: number;
}

/** One line of a chart of a GPU's activity. */
export interface GpuLine {
  name: string;
  /** a value per step; null: the node's agent recorded none */
  values: (number | null)[];
}

/** Some metrics of a job on one GPU. */
export interface GpuSeries {
  host: string;
  /** PCI bus id of the GPU; for a MIG instance its UUID */
  gpu: string;
  /** model of the GPU; empty: not known */
  name: string;
  series: Series;
}

/** One chart of a GPU's activity over time, such as its power. */
export interface GpuView {
  name: string;
  title: string;
  /** %, bytes, MHz, W, bytes/s, or errors (number in each step) */
  unit: string;
  lines: GpuLine[];
}

/** The run times of the runs of one program. */
export interface GroupTime {
  group: string;
  runs: number;
  median_s: number;
  mean_s: number;
  /** standard deviation; null: fewer than three runs */
  std_s: number | null;
  min_s: number;
  max_s: number;
  /** mean run time divided by that of the baseline's program */
  ratio: number;
  /** lower end of the ratio's 95 % interval; null: one of the two programs has fewer than three runs, or this is the baseline's program */
  low: number | null;
  /** upper end of this interval; null as for `low` */
  high: number | null;
}

/** A span of the run in which time was lost: a segment, or a slice of a job without segments. */
export interface Hit {
  /** Start of the span. */
  start_ns: number;
  /** End of the span. */
  end_ns: number;
  /** Run time lost in the span. */
  seconds: number;
  /** Kind of the resource on which most of this time was lost. */
  cause: 'file system' | 'network' | 'memory or cpu' | 'memory' | 'cpu' | 'gpu' | 'bus' | 'unknown';
  /** This resource, as in Cause. */
  resource: string;
  /** Number of the segment's hybrid cluster; -1 where clusters were not used. */
  cluster: number;
  /** The loss by cause; empty: all of it is due to `cause`. */
  parts: HitPart[];
}

/** The part of a hit's loss that is due to one cause. */
export interface HitPart {
  /** Kind of the resource, as in Cause. */
  cause: 'file system' | 'network' | 'memory or cpu' | 'memory' | 'cpu' | 'gpu' | 'bus' | 'unknown';
  /** The resource, as in Cause. */
  resource: string;
  /** Run time lost to the cause in the span of the hit. */
  seconds: number;
  /** Why cores were slower, as in Cause. */
  kind: '' | 'core speed' | 'steal' | 'capped' | 'heat' | 'power limit' | 'quota';
}

/** The signal's bursts that are visible in a probe. */
export interface ImprintReport {
  probe: string;
  signal: string;
  run: string;
  seen: number;
  total: number;
  depth: Summary;
}

/** The output of `jostle interference --json`. */
export interface InterferenceReport {
  seconds: Interval;
  percent: Interval;
  suspects: Suspect[];
  disturbed: DisturbedSlice[];
  resources: ResourceLoss[];
  /** number of other jobs that were active on its resources; all that the viewer may not see are counted as one */
  neighbours: number;
  /** true: some of these neighbours are jobs that the viewer may not see */
  unnamed: boolean;
  /** true: there is evidence that others cost the job time */
  evident: boolean;
  /** why no suspect can be identified, and what would help; empty: one can be */
  blind: string;
  limits: string[];
  /** for each job that was tested without finding an effect, the reason */
  ruled_out: Record<string, string>;
  /** for each job that could not be tested, the reason, and what would decide it */
  untested: Record<string, Untested>;
  /** for each node, who used the cores that the job waited for */
  accounts: CoreAccount[];
}

/** An estimated value with its 95 % interval, all three numbers in the same unit. */
export interface Interval {
  value: number;
  low: number;
  high: number;
}

/** The digest of a job: its metrics, each with minimum, mean and maximum over its processes. */
export interface JobDigest {
  /** Name of the job. */
  job: string;
  /** Number of processes by program, the most frequent first. */
  programs: Record<string, number>;
  /** Nodes of the job. */
  hosts: string[];
  /** Number of processes with a profile of their own. */
  processes: number;
  /** Number of processes too short for a profile; they count in totals only. */
  short_processes: number;
  /** Start of the first process, ns since the epoch. */
  start_ns: number;
  /** End of the last process, or of the last slice seen while the job runs. */
  end_ns: number;
  /** Whether some process has not ended. */
  running: boolean;
  /** Wall-clock time, in seconds. */
  seconds: number;
  /** Sum of the lifetimes of all processes, in seconds. */
  process_seconds: number;
  /** Lengths of the slices that were recorded, in ns. */
  slice_ns: number[];
  /** Spread of every metric that is not zero, by id, without histograms. Metrics of mounts are added up over all mounts. For a gauge, the value of a process is its highest level. */
  metrics: Record<string, Spread>;
  /** What the job did on each mount, the busiest mount first. */
  mounts: MountDigest[];
  /** Rates of the whole job, by name. Rates per second of its run time are missing where that is shorter than 1 ms, or too short for the CPU time that was counted. */
  rates: Record<string, Rate>;
  /** How the time of the ranks is divided among states; without ranks that of all processes. */
  shares: Share[];
  /** CPU time over lifetime of a process; null where that is not known. */
  effective_threads: Threads | null;
  /** CPU time divided by the job's wall-clock time, which is the number of cores in use on average; null where that time is not known. */
  cores: number | null;
  /** Sizes and pattern of the job's reads, and of its writes. */
  access: AccessShape[];
  /** Number of failed calls by class of error. */
  errors: Record<string, number>;
  /** Traffic that the kernel counted, but no wrapped call did. */
  unaccounted: Unaccounted[];
  /** Time that jostle itself cost the job. */
  cost: ProfilerCost;
  /** How well the clocks of the job's nodes agree. */
  clock: Clock;
  /** Notes that the runtime recorded, each once. */
  notes: string[];
  /** Warnings of the reader of profiles, each once. */
  warnings: string[];
  /** The MPI programs, one entry per world; empty without MPI. */
  mpi: WorldDigest[];
  /** The access pattern of the job's writes on each mount, phase by phase, the mount with the most bytes first. */
  writing: AccessPattern[];
  /** The access pattern of the job's reads, in the same form. */
  reading: AccessPattern[];
  /** The files with most time and bytes, those with most time first; the last entry is all other files together. Empty where no process that has ended recorded its files. */
  files: FileDigest[];
  /** Use of HDF5 and netCDF files, which are recognised by their first bytes; empty where no call read or wrote these. */
  formats: FormatDigest[];
  /** Use of each GPU; empty where that was not recorded. */
  gpus: GpuDigest[];
  /** Advice what to examine next in a job without MPI. Advice on MPI programs is in `mpi`. */
  next: Advice[];
  /** Problems that a different binding of processes to cores and GPUs would fix; empty if there are none. */
  binding: BindingAdvice[];
}

/** The busiest GPUs of a job, at most twelve, sorted by host and name. */
export interface JobGpus {
  gpus: GpuSeries[];
}

/** A job with traffic on a link or a switch. */
export interface JobOnLink {
  /** name of the job; empty: it is not known which job sent this */
  job: string;
  program: string;
  bytes: number;
  /** the job's part of the bytes of all jobs on this link or switch, 0 to 1 */
  share: number;
  /** part of the job's bytes on all links that was computed from models of collectives, 0 to 1 */
  modelled: number;
  /** part of the job's bytes on all links whose receivers are not known, 0 to 1; it is divided evenly among possible ones */
  spread: number;
  /** time that other jobs cost this job here; null: this job has no verdict yet */
  seconds_lost: number | null;
  /** time that this job cost other jobs here */
  seconds_cost: number;
  /** load of the job in each step, bytes/s */
  values: number[];
}

/** A row of the list of jobs. */
export interface JobRow {
  job: string;
  /** batch job that this job is a part of; null: it is part of none */
  batch: string | null;
  /** for a part of a Slurm job, Slurm's name of the part, such as `12.0`; else the same as `job` */
  part: string;
  program: string;
  uid: number | null;
  user: string | null;
  start_ns: number;
  end_ns: number;
  running: boolean;
  processes: number;
  /** number of the job's processes that are ranks; 0: none */
  ranks: number;
  nodes: number;
  /** null: there is no verdict (yet); see `why_not` */
  verdict: Brief | null;
  /** why there can be no verdict; empty: there is one, or one may still come */
  why_not: string;
  /** activity of the job in equal parts of its run time, from its start to its end */
  spark: number[];
  /** quantity that `spark` shows. `files`: bytes read and written. For jobs with little file traffic, the first known time, ns: `collectives` in collective libraries, `mpi` in MPI, or `cpu` CPU time. null: nothing is known */
  spark_of: 'files' | 'collectives' | 'mpi' | 'cpu' | null;
}

/** A page of the list of jobs. */
export interface Jobs {
  /** number of jobs that match all filters */
  total: number;
  /** number of these jobs whose verdict is still to be computed */
  waiting: number;
  jobs: JobRow[];
  facets: Facets;
}

/** A law of the papers, and whether it holds in this study. */
export interface Law {
  name: string;
  statement: string;
  goal: string;
  holds: boolean | null;
  n: number;
  explanation: string;
}

/** The load of one job on a mount over time. */
export interface Layer {
  job: string;
  total: number;
  values: (number | null)[];
}

/** The output of `jostle interference --json` for an imported job without slices. */
export interface LikeRunsReport {
  job: string;
  program: string;
  resources: SlownessOnResource[];
  met: MetJob[];
  limits: string[];
  /** Recorded data on which the answer is based, one sentence each. For a job with slices this and all other fields are empty: see its verdict. */
  rests_on: string[];
}

/** One line of a series: minimum, mean and maximum at each point; null: no value. */
export interface Line {
  name: string;
  low: (number | null)[];
  mean: (number | null)[];
  high: (number | null)[];
}

/** A change of how fast a running job proceeds. */
export interface LiveChange {
  /** Start of the first slice after the change, ns since the epoch. */
  at_ns: number;
  /** End of the slice that showed the change, ns since the epoch. */
  found_ns: number;
  /** Kind of the change: slower, over (a slow-down has ended) or faster. */
  kind: string;
  /** Activity that changed: `read`, `write`, `sync`, `meta`, `waiting for cores` or `iteration`. */
  what: string;
  /** Kind of the resource: file system, node or messages. */
  resource_kind: 'file system' | 'node' | 'messages';
  /** Identity of the resource; "" for messages. */
  resource: string;
  /** Change of the time per unit of work, percent. */
  percent: number;
  /** Cause of the change, as far as it is known. */
  because: 'other jobs' | 'own change of phase' | 'nobody known' | 'it is over' | 'it is faster';
  /** Jobs whose load rose at that time, the likeliest first. */
  suspects: LiveSuspect[];
}

/** A job, or load without a profile, that may have caused a change. */
export interface LiveSuspect {
  /** Name of the job or of the load. */
  job: string;
  /** Part of this job in the rise of the load of all other jobs on the resource, 0 to 1. */
  share: number;
  /** `share` times the probability that the job's load did not rise by chance. */
  confidence: number;
}

/** The loss of the jobs of one user, program, resource or week. */
export interface LossGroup {
  name: string;
  /** number of jobs in the group, all of them with a verdict */
  jobs: number;
  /** sum of the jobs' run times */
  run_s: number;
  /** sum of the jobs' most likely losses */
  lost_s: number;
  /** core hours that the jobs' processes lost */
  core_hours: number;
  /** the job that lost most time */
  worst: string;
  /** loss of the job `worst` */
  worst_s: number;
}

/** The loss of a job or of a batch job, as lists and lines show it. */
export interface LossNumbers {
  /** green, yellow or red; null where it is undecided or nothing is known. */
  light: 'green' | 'yellow' | 'red' | null;
  /** Seconds lost; null where nothing is known. */
  lost_s: Interval | null;
  /** Loss in percent of the run time. */
  percent: Interval | null;
  /** Cause of the largest loss, in words; "" without a loss. */
  cause: string;
  /** Reason why the loss is not known, as part of a sentence; "" where it is known. */
  why: string;
}

/** The loss of a system's jobs to interference. */
export interface Losses {
  /** number of visible jobs that began in the span */
  jobs: number;
  /** number of these jobs that have no verdict */
  waiting: number;
  total: LossGroup;
  users: LossGroup[];
  programs: LossGroup[];
  /** a job is in the groups of all resources on which it lost time */
  resources: LossGroup[];
  /** weeks in which jobs began, each with the date of its Monday (UTC) as name */
  weeks: LossGroup[];
}

/** The activity of servers and nodes over time, from their agents. */
export interface MachineLanes {
  start_ns: number;
  step_ns: number;
  columns: number;
  servers: ServerLane[];
  /** empty for viewers who may not see all jobs */
  nodes: NodeLane[];
  /** true: some values are null because they would show the load of too few other users */
  few: boolean;
}

/** The output of `jostle matrix --json`. */
export interface MatrixReport {
  programs: Potential[];
  encounters: Encounter[];
  jobs: number;
  limits: string[];
  /** Number of the repository's newest commit when the computation began. */
  commit: number;
  /** Duration of the computation, in seconds. */
  seconds: number;
}

/** The current user. */
export interface Me {
  name: string;
  /** null: this user has no uid on the cluster, so no jobs */
  uid: number | null;
  role: 'user' | 'manager' | 'support' | 'administrator';
  way: 'token' | 'oidc' | 'proxy' | 'accounts';
  /** users whose jobs a manager may see in addition to the manager's own */
  accounts: Name[];
  /** value that every POST request must have in the header X-CSRF-Token; null: requests of this client need no such header */
  csrf: string | null;
  /** whether accesses to others' jobs are recorded */
  recorded: boolean;
  /** option with which jostle's commands find this repository; empty if the server is not on loopback, or if they need none */
  flag: string;
}

/** A job that used a resource at the same time as the run. */
export interface MetJob {
  /** Name of the job, or "other users' jobs" for all jobs that the viewer may not see. */
  job: string;
  /** Program of the job, or "other users' jobs". */
  program: string;
  /** Uid of its owner; null where it is not shown. */
  user: number | null;
  /** The resource that both used. */
  resource: string;
  /** Kind of that resource. */
  resource_kind: 'file system' | 'object servers' | 'metadata server' | 'network' | 'node' | 'memory' | 'gpu' | 'bus';
  /** Time in which the run and the job were both active on it. */
  overlap_s: number;
  /** Part of the run's traffic on the resource that it moved in this time, 0 to 1. */
  share: number;
  /** Part of the load of both in this time that was the job's, 0 to 1. */
  load_share: number;
  /** Strength of the evidence that the job's program slows the run's program. */
  strength: 'evidence' | 'weak' | 'none' | 'too few runs';
  /** Number of runs of the run's program that were concurrent with the job's program. */
  with_runs: number;
  /** Number of runs of the run's program without the job's program. */
  without_runs: number;
  /** By how much the runs with the job's program are slower than the runs without it; null: too few runs. */
  slowdown: Slowdown | null;
  /** p value of the test; null: too few runs. */
  p: number | null;
  /** p after control of the false-discovery rate over all programs that are compared with the run's program; null: too few runs. */
  q: number | null;
}

/** A metric that a series or a grid may show. */
export interface MetricName {
  id: string;
  group: string;
  unit: string;
  scope: 'process' | 'mount';
  text: string;
}

/** All values that parameter `metric` may have. */
export interface Metrics {
  views: ViewName[];
  metrics: MetricName[];
}

/** What a job did on one mount. */
export interface MountDigest {
  /** Identity of the mount. */
  mount: string;
  /** Paths at which processes saw it mounted. */
  paths: string[];
  /** Type of the file system. */
  type: string;
  /** Whether several nodes share the mount. */
  shared: boolean;
  /** Number of processes with calls on the mount. */
  processes: number;
  /** Spread over these processes of every metric of scope mount that is not zero, by id. */
  metrics: Record<string, Spread>;
  /** Rates by name. read_bytes, write_bytes, read_ops and write_ops are per second of the job's run time; they are missing where this time is not known. read_service and write_service are bytes per second inside the calls, which do not depend on how many calls the job made. */
  rates: Record<string, Rate>;
  /** Number of failed calls by class of error. */
  errors: Record<string, number>;
}

/** The load on a mount over time: of the jobs with most load, and of all others together. */
export interface MountLoad {
  mount: string;
  path: string;
  type: string;
  /** sum over the whole span, as far as the viewer may see it */
  total: number;
  /** number of jobs with load on the mount that the viewer may see */
  jobs: number;
  /** the jobs with most load, the largest load first */
  layers: Layer[];
  /** load of all other jobs together; null: there are no other jobs */
  rest: (number | null)[] | null;
  /** true: some values in `rest` are null because they would be sums over too few other users */
  few: boolean;
}

/** The load on all mounts. */
export interface MountLoads {
  unit: string;
  start_ns: number;
  step_ns: number;
  columns: number;
  mounts: MountLoad[];
}

/** A user. */
export interface Name {
  uid: number;
  name: string;
}

/** A component that is persistently worse than its peers. */
export interface NodeDifference {
  host: string;
  role: string;
  kind: string;
  component: string;
  /** name of the measure by which the component is worse */
  figure: string;
  /** component and measure in words */
  what: string;
  /** difference from the peers in words */
  how_much: string;
  /** if `figure` is a rate, the unit of its divisor; else empty */
  unit: string;
  percent: Interval;
  /** first day of the difference */
  since: string;
  /** number of days since then on which the component was significantly worse */
  worse_days: number;
  /** number of days since then on which it was compared */
  days: number;
  /** number of components with which it was compared */
  peers: number;
  course: DayOfPeers[];
}

/** The activity of a node's GPU over time, from the node's agent. */
export interface NodeGpu {
  host: string;
  /** PCI bus id of the GPU; for a MIG instance its UUID */
  gpu: string;
  /** folder of the GPU below /sys/devices; empty: not known */
  path: string;
  /** size of the GPU's memory; 0: not known */
  memory_bytes: number;
  start_ns: number;
  step_ns: number;
  /** all charts that have at least one value */
  views: GpuView[];
  slowed: SlowedGpu[];
}

/** The GPUs of a node over time, and its memory. */
export interface NodeGpus {
  /** start of the node's first recorded slice */
  first_ns: number;
  /** end of the node's last recorded slice */
  last_ns: number;
  /** start of the span of this answer */
  start_ns: number;
  /** end of the span of this answer */
  end_ns: number;
  /** empty: the node's agent found no GPU */
  gpus: NodeGpu[];
  /** the jobs with most CPU time on the node in the span, the most first */
  memory: NodeMemoryRow[];
}

/** The activity of a node over time, as its agent recorded it; all values are shares, 0 to 1. */
export interface NodeLane {
  host: string;
  /** share of the cores' time in which they were busy */
  cpu: (number | null)[];
  /** share of the time in which at least one task waited for a core (PSI) */
  waits_cpu: (number | null)[];
  /** share of the time in which at least one task waited for storage (PSI) */
  waits_io: (number | null)[];
  /** share of the time in which at least one task waited for memory (PSI) */
  waits_memory: (number | null)[];
}

/** The load of a job on a node, and the speed of the node's memory for it. */
export interface NodeMemoryRow {
  job: string;
  /** number of cores that the job kept busy, mean over its slices */
  cores: number;
  /** mean time of one read of main memory; null: the memory probe did not run */
  latency_ns: number | null;
  /** time of a read that the slowest twentieth of the slices reach, as a multiple of the median over all slices; null: the memory probe did not run */
  slower: number | null;
  /** bandwidth of one thread, bytes/s; null: the memory probe did not run */
  bandwidth: number | null;
  /** bytes/s that cache misses of the job moved; null: misses were not counted */
  missed: number | null;
}

/** The output of `jostle nodes --json`. */
export interface NodesReport {
  /** the machines that are worse than their peers, as a sentence */
  answer: string;
  /** how many components and days were compared, in words */
  watched: string;
  /** number of days on which agents recorded slices */
  days: number;
  /** number of evaluated pairs of component and measure */
  comparisons: number;
  /** the one with most evidence first */
  differences: NodeDifference[];
  unassessed: NotAssessed[];
  /** number of the repository's newest commit at the computation */
  commit: number;
  /** duration of the computation */
  seconds: number;
}

/** Components that could not be assessed. */
export interface NotAssessed {
  /** which components, and why, as one sentence */
  words: string;
}

/** A remark on a study. */
export interface Note {
  kind: string;
  text: string;
}

/** The running jobs that the viewer may see; those that lose most now come first. */
export interface NowAnswer {
  /** end of the newest slice of all jobs; 0: there is none */
  newest_ns: number;
  jobs: NowRow[];
}

/** A running job; its numbers are provisional, since its later slices are not known yet. */
export interface NowRow {
  job: string;
  program: string;
  uid: number | null;
  /** name of the job's owner; empty: several users own it */
  user: string;
  nodes: string[];
  start_ns: number;
  /** end of the newest slice that was evaluated; 0: none yet */
  seen_ns: number;
  running: boolean;
  /** length of the evaluated time */
  run_s: number;
  /** part of this time that other jobs cost, as far as is known */
  lost_s: number;
  /** further time that calls took longer than usual, without a known cause */
  unexplained_s: number;
  /** present loss to other jobs, in percent of the time of the newest slices */
  now_percent: number;
  /** kind of the resource with most of the present loss; null: there is no loss */
  resource_kind: 'file system' | 'node' | 'messages' | null;
  /** identity of this resource; empty without a loss */
  resource: string;
  /** this resource in words, such as `file system /scratch` */
  place: string;
  /** jobs that may have caused the present loss, the likeliest first */
  suspects: LiveSuspect[];
  /** kind of cause of the present loss; null: there is no loss */
  because: 'other jobs' | 'own change of phase' | 'nobody known' | 'it is over' | 'it is faster' | null;
  /** the suspects in a few words; without suspects, `because` */
  why: string;
  /** percent lost to other jobs in each of the newest slices, the oldest first */
  trend: number[];
  /** the newest changes, the oldest first */
  changes: LiveChange[];
  /** the newest change as a sentence; empty: there is none */
  last_change: string;
  /** true: the usual speed of this job is not known yet, so no change can be found */
  learning: boolean;
  /** smallest slow-down that would be found within three slices, percent; null: the usual speed is not known yet */
  smallest_percent: number | null;
}

/** The jobs with traffic on a link or a switch. */
export interface OnLink {
  name: string;
  /** name in verdicts, such as `link leaf1 > spine2` */
  resource: string;
  /** data rate of the link, or of all links into the switch together, bytes/s; 0: not known */
  rate: number;
  /** for a link 1; for a switch, the number of links into it */
  links: number;
  start_ns: number;
  step_ns: number;
  /** load of all jobs in each step, bytes/s */
  load: number[];
  /** lowest load in each step that adaptive routing can have caused, bytes/s */
  low: number[];
  /** highest load in each step that adaptive routing can have caused, bytes/s */
  high: number[];
  /** true: ports counted the load; false: it was computed from messages and routes */
  measured: boolean;
  /** the job with most bytes here first */
  jobs: JobOnLink[];
}

/** Another job of the same user that slowed the job. */
export interface OwnNeighbour {
  /** Name of the other job. */
  job: string;
  /** When the other job started, s after the start of the job that it slowed; negative if it started earlier. */
  start_s: number;
  /** When the other job ended, s after the same instant. */
  end_s: number;
  /** Time that the other job cost the job, in seconds. */
  seconds: Interval;
}

/** A name and a password. */
export interface Password {
  name: string;
  password: string;
}

/** One access pattern within a phase, with its share of the bytes. */
export interface PatternShare {
  /** One of PATTERNS, or of READ_PATTERNS. */
  pattern: string;
  /** Share of the phase's bytes that were written (read) by this pattern, 0 to 1. */
  share: number;
  /** Number of these bytes. */
  bytes: number;
  /** Number of chunks; 0 when it is not known. A chunk is a closed file (open-write-close), what was written between two steps back (write-seek), what one call moved (aggregate-write, sequential), or what was read in order after a jump (strided, random) or after a return (re-read). */
  chunks: number;
  /** Mean bytes per chunk; null when it is not known. */
  chunk_bytes: number | null;
}

/** Periodic bursts of I/O, with their period and its interval. */
export interface Period {
  /** Time from the start of one burst to the start of the next, in seconds. */
  seconds: number;
  /** Lower end of the 95 % interval of the period, in seconds. */
  low: number;
  /** Upper end of that interval, in seconds. */
  high: number;
  /** Median length of a burst, in seconds. */
  on_seconds: number;
  /** Number of bursts in the series. */
  bursts: number;
  /** Probability that bursts of the same lengths, at random instants, recur at least as regularly. */
  p_value: number;
}

/** The job on each node at an instant. */
export interface Placed {
  jobs: string[];
  /** for each node, the index of its job in `jobs` */
  job_of: Record<string, number>;
  /** jobs that share links with job `job` of the request; empty without that job */
  conflicting: string[];
}

/** A measure of a job's placement. */
export interface PlacementMeasure {
  name: string;
  value: string;
  /** what the measure counts, in words */
  what: string;
}

/** A job that ran at the same time, and the links and switches that both may use. */
export interface PlacementMeeting {
  job: string;
  program: string;
  /** part of the examined job's run time in which this job ran, 0 to 1 */
  share: number;
  nodes: number;
  /** number of switches with nodes of both jobs */
  shared_routers: number;
  /** number of links that traffic of both jobs may take */
  shared_links: number;
  /** true: traffic of both jobs may take at least one common link */
  conflicting: boolean;
}

/** The placement of a job in its fabric, and the jobs that may use the same links. */
export interface PlacementReport {
  /** name of the fabric; empty: no fabric is known, or none has the job's nodes */
  fabric: string;
  /** why `fabric` is empty, a sentence; else empty */
  why_not: string;
  /** the result in words; empty for viewers who may not see all jobs */
  answer: string;
  measures: PlacementMeasure[];
  /** concurrent jobs that the viewer may see, those with most shared links first */
  meetings: PlacementMeeting[];
  notes: string[];
}

/** Segments in order of time; each list has one entry per segment. */
export interface Points {
  /** start of the segment, counted from `start_ns` */
  at_s: number[];
  /** duration of the segment */
  seconds: number[];
  /** number of the segment's cluster; 0: it is in none */
  cluster: number[];
  /** duration above which the segment counts as interfered; null: no threshold */
  threshold_s: (number | null)[];
  /** time lost in the segment */
  lost_s: number[];
  /** amount of computation, by which segments are clustered; null: not known */
  work: (number | null)[];
}

/** How much a program slows other programs, and how much other programs slow it. */
export interface Potential {
  /** Name of the program. */
  program: string;
  /** Number of its runs. */
  runs: number;
  /** Mean slowdown that the program caused, weighted by the number of runs; null: not known, since no comparison has enough runs. */
  active: number | null;
  /** Mean slowdown of the program by other programs, weighted the same way; null: not known. */
  passive: number | null;
  /** Programs that it slows according to a test. */
  hurts: string[];
  /** Programs that slow it according to a test. */
  hurt_by: string[];
}

/** An error (RFC 9457), and how to correct it. */
export interface Problem {
  title: string;
  status: number;
  /** the cause, as the failed part reports it */
  detail: string | null;
  /** what to do about the error; null: not known */
  fix: string | null;
}

/** The time that jostle itself cost the job. */
export interface ProfilerCost {
  /** Number of wrapped calls that were counted. */
  calls: number;
  /** CPU time of the runtime's threads that write records (heartbeats), in seconds. */
  heartbeat_s: number;
  /** Estimated cost of calls and heartbeats together, in seconds. */
  total_s: number;
  /** total_s divided by the CPU time of the job; 0 if the job has no CPU time, null if total_s exceeds the CPU time. */
  share_of_cpu: number | null;
}

/** The distribution of a number over the other runs of a job's program. */
export interface Quartiles {
  /** number of other runs */
  runs: number;
  min: number;
  /** first quartile; null: there are fewer than five runs */
  q1: number | null;
  /** null: there are fewer than five runs */
  median: number | null;
  /** third quartile; null: there are fewer than five runs */
  q3: number | null;
  max: number;
  /** the number in each run if there are fewer than five runs; else empty */
  values: number[];
}

/** The spread of a rate or a ratio over ranks; all NaN where no rank's value is known. */
export interface Range {
  min: number | null;
  mean: number | null;
  max: number | null;
}

/** Cores that a rank kept busy, and the number of threads it was set to use. */
export interface RankThreads {
  /** CPU time of a rank divided by its run time; null if no rank recorded its run time. */
  effective: Range;
  /** OMP_NUM_THREADS; 0 where it is not set, null where ranks differ. */
  omp_threads: number | null;
  /** `effective` divided by OMP_NUM_THREADS, mean over the ranks where it is set; null if it is set for no rank. */
  ratio: number | null;
}

/** A rate, and the time that it is divided by. */
export interface Rate {
  /** The rate. */
  value: number;
  /** bytes/s or ops/s. */
  unit: string;
  /** Description of the time that the rate is divided by. */
  over: string;
  /** Length of that time, in seconds. */
  seconds: number;
}

/** One change that would save time of a job, with the saving and the cost of the change. */
export interface Recommendation {
  /** Short name of the rule that gave the advice; it stays the same between versions. */
  rule: string;
  /** Observation from which the advice follows, with numbers; a sentence without its full stop. */
  seen: string;
  /** Setting or habit that is to be changed. */
  lever: string;
  /** Lines to paste into a script or a shell; may be empty. */
  texts: string[];
  /** Seconds of the job's run time that the change would save; null where the saving cannot be predicted. */
  saving: Interval | null;
  /** How the saving was predicted, or why none is predicted. */
  saving_words: string;
  /** Who bears the cost of the change, and what that cost is. */
  pays: string;
  /** Conditions under which the advice should not be followed. */
  unless: string;
}

/** The advice on one job: what to change, and what that would save. */
export interface Recommendations {
  /** Name of the job. */
  job: string;
  /** Run time of the job, in seconds. */
  run_s: number;
  /** Run time that other jobs cost it, in seconds. */
  lost: Interval;
  /** The advice, the greatest predicted saving first; those without a prediction last. */
  found: Recommendation[];
  /** Why no change is advised, a sentence; "" where a change is advised. */
  nothing: string;
  /** Limits of the advice, one sentence each. */
  limits: string[];
  /** The jobs of the same user that slowed this one, with the times when they ran. They show what this job would lose if it started earlier or later. */
  own_neighbours: OwnNeighbour[];
}

/** A run of a cell. */
export interface Repetition {
  run: string;
  repetition: number;
  verdict: string;
  reason: string;
  probe: Side | null;
  signal: Side | null;
}

/** The time that the job lost on one shared resource, with the evidence. */
export interface ResourceLoss {
  /** Name of the resource, such as the identity of a mount, the name of a node, or "network". Where the fabric is known, links replace the network: "link A > B". */
  resource: string;
  /** Kind of the resource. */
  kind: 'file system' | 'object servers' | 'metadata server' | 'network' | 'node' | 'memory' | 'gpu' | 'bus';
  /** Run time lost there to others. Without evidence, the interval is 0 to smallest_s. */
  seconds: Interval;
  /** Number of slices that could be evaluated. */
  slices: number;
  /** Time that the job spent in calls there, per process (mean). */
  own_s: number;
  /** Service time under the suspects' load, divided by that without their load; null: no suspects. */
  slowdown: number | null;
  /** Whether there is evidence that the load of others caused the loss, after control of the false-discovery rate. */
  evident: boolean;
  /** Smallest loss that these slices could have shown. */
  smallest_s: number;
  /** Reason why there is no evidence, one sentence. */
  why_not: string;
  /** Start of each slice of the job. */
  steps_ns: number[];
  /** Length of these slices. */
  slice_ns: number;
  /** Service time in each slice, divided by the undisturbed one; null: not evaluated, for example since the job was inactive. */
  service: (number | null)[];
  /** The job's load on the resource in each slice, in `unit`. */
  own_load: number[];
  /** The load of all other jobs in each slice, in `unit`. */
  others_load: number[];
  /** Unit of the loads per slice: bytes, ops or ns. */
  unit: string;
  /** Reason why the slices of this run can show no effect, and what would show it, one sentence; "" where they can. */
  blind: string;
  /** Which of the job's calls were slow: "messages", else the mount or the node. */
  calls_of: string;
  /** Seconds lost to the suspects in each slice, which may be below 0 by chance; empty without suspects. */
  lost: number[];
  /** Method by which the loss was divided among suspects: test or account. */
  how: 'account' | 'test';
  /** Identity of the mount that the resource is, or that it serves; "": none. */
  mount: string;
  /** For the memory of a node: how the load of neighbours was counted. */
  load_source: '' | 'misses' | 'controllers' | 'cores';
}

/** The loss of a user's jobs on one resource. */
export interface ResourceSum {
  /** Name of the resource. */
  where: string;
  /** Core hours that were lost on the resource. */
  lost: Interval;
  /** Core hours of these that were lost to other jobs of the same user. */
  to_own: Interval;
}

/** The sum over clusters that are not listed one by one. */
export interface Rest {
  clusters: number;
  members: number;
  hit: number;
  excess_s: number;
  total_s: number;
}

/** The run time of one run compared with that of the baseline. */
export interface RunTime {
  job: string;
  /** program of the run */
  group: string;
  run_s: number;
  /** run time divided by that of the baseline run */
  ratio: number;
}

/** Run times of runs and of programs, also as ratios to those of the baseline. */
export interface RunTimes {
  runs: RunTime[];
  groups: GroupTime[];
  baseline: string;
  baseline_group: string;
}

/** Facts on a batch job from its batch system; an empty text or 0 is not known. */
export interface SchedulerFacts {
  name: string;
  partition: string;
  account: string;
  state: string;
  /** exit code and signal, such as `3:0` */
  exit: string;
  cores: number;
  memory_bytes: number;
  time_limit_s: number;
  nodes: string[];
  /** jobs that this job had to wait for, such as `afterok:11` */
  dependency: string;
  /** number of the job array that this job is a task of */
  array_job: number;
  /** number of the task in the job array; -1: it is no task */
  array_task: number;
  /** number of the heterogeneous job that this is a component of */
  het_job: number;
  /** number of the component in the heterogeneous job; -1: it is no component */
  het_component: number;
}

/** A token for the header `Authorization: Bearer TOKEN`. */
export interface ScriptToken {
  token: string;
  /** time for which the token is valid */
  seconds: number;
}

/** The distribution of the durations of a cluster's segments, s, as a box plot. */
export interface SegmentBox {
  least: number;
  /** end of the lower whisker: the least duration that is at most 1.5 times the interquartile range below the first quartile */
  lower: number;
  /** first quartile */
  quarter: number;
  median: number;
  /** third quartile */
  three_quarters: number;
  /** end of the upper whisker: the greatest duration that is at most 1.5 times the interquartile range above the third quartile */
  upper: number;
  most: number;
}

/** The segments of a job, or of one of its clusters, in a span of time. */
export interface Segments {
  job: string;
  method: string;
  /** number of the MPI world that was evaluated; -1: the job has no ranks, and so no segments */
  world: number;
  ranks: number;
  start_ns: number;
  end_ns: number;
  /** number of segments of the whole run */
  total: number;
  /** number of segments of the whole run that are interfered */
  hit: number;
  /** time lost in all segments that are in clusters */
  excess_s: number;
  /** the clusters with most time, in order of their numbers */
  clusters: ClusterRow[];
  rest: Rest;
  /** number of the requested cluster; null: all clusters */
  cluster: number | null;
  /** the requested cluster, which may be missing in `clusters`; null: all clusters */
  chosen: ClusterRow | null;
  /** number of requested segments: of the cluster, in the span */
  within: number;
  /** number of requested segments that are interfered */
  hits_within: number;
  /** segments without interference: in each column of the chart the shortest, the middle and the longest one */
  usual: Points;
  /** segments with a loss; if there are more than 10 000, those that lost most time */
  hits: Points;
  limits: string[];
}

/** The execution segments of a world, merged over its ranks. A segment is the part of a run between two global synchronisations (delimiters) of a world. Segments with the same set of calls are of one kind. */
export interface SegmentsDigest {
  /** Number of segments that all ranks have in common. */
  number: number;
  /** Number of segments that a rank stored. */
  per_rank: Range;
  /** Rule by which most segments were delimited: every, coalesced, epoch, raw or none (see docs/explanation/execution-segments.md). */
  rule: string;
  /** Share of the time in segments of each rule, by rule. */
  rules: Record<string, number>;
  /** Name of the MPI function that ends most segments; "" where none does. */
  delimiter: string;
  /** Share of the time between the first and the last delimiter that is inside segments of recurring kinds: of those with at least five segments. */
  coverage: number;
  /** Whether the coverage is at least one half. */
  segmentable: boolean;
  /** Number of recurring kinds. */
  kinds: number;
  /** Number of boundaries common to all ranks, divided by that of the rank with the fewest boundaries. */
  agreement: number;
  /** Least, mean and greatest duration of a segment, in seconds. */
  duration_s: Range;
  /** Median duration of a segment, in seconds. */
  median_s: number;
  /** Ranks of the world that have no profile. */
  missing: number[];
  /** Notes on the merge of the ranks' segments. */
  notes: string[];
  /** One dictionary per segment (see `segment_rows`), if requested. */
  rows: Record<string, unknown>[] | null;
}

/** A result as a sentence. */
export interface Sentence {
  text: string;
}

/** Some metrics of a job, or of other jobs on its resources, over time. */
export interface Series {
  metric: string;
  /** unit of the values: bytes/s, ops/s, s/s, or for gauges the unit of the metric */
  unit: string;
  start_ns: number;
  step_ns: number;
  lines: Line[];
  /** true: some values are null because they would be sums over too few other users */
  few: boolean;
}

/** A server of a file system over time, as its agent recorded it. For viewers who may not see all jobs, all servers of a file system are shown as one. */
export interface ServerLane {
  host: string;
  /** file system that it serves; empty: no file system that visible jobs used */
  mount: string;
  /** part of the file system that it serves; `file system`: all of it, or not known */
  part: 'file system' | 'object servers' | 'metadata server';
  /** bytes/s in each step; null: this viewer may not see them */
  bytes: number[] | null;
  /** metadata requests/s in each step; null: this viewer may not see them */
  metadata: number[] | null;
  /** mean time of a request in each step, in ms */
  request_ms: (number | null)[];
  /** mean time of a metadata request in each step, in ms */
  metadata_ms: (number | null)[];
  /** share of each step in which its disks were busy, 0 to 1 */
  busy: (number | null)[];
}

/** What the runs of a cell had in common. */
export interface Setting {
  chunk: number | null;
  /** of the probe and of the signal */
  processes: [number, number];
  shared: boolean;
  periodic: boolean;
  more: [string, string][];
}

/** The vertices and links of a fabric; each list has one entry per vertex, or per link. */
export interface Shape {
  name: string;
  /** torus, mesh, fat tree, dragonfly, tree or graph */
  kind: string;
  /** this version is valid from this time on; 0: always */
  valid_from_ns: number;
  nodes: number;
  switches: number;
  /** number of links; a cable is two links, one in each direction */
  links: number;
  dimensions: string[];
  sizes: number[];
  /** for each dimension, whether its two ends are joined */
  wraps: boolean[];
  /** the source from which this version was read */
  origin: string;
  /** sentences on data that could not be read, or was guessed */
  notes: string[];
  /** name of each vertex: a node's adapter, or a switch */
  vertices: string[];
  /** node of each vertex; empty: the vertex is a switch */
  hosts: string[];
  levels: number[];
  groups: number[];
  planes: number[];
  coordinates: number[][];
  /** names of all kinds of links */
  kinds: string[];
  /** index of the vertex where each link begins */
  sources: number[];
  /** index of the vertex where each link ends */
  targets: number[];
  /** data rate of each link, bit/s; 0: not known */
  rates: number[];
  lanes: number[];
  /** kind of each link, as an index in `kinds` */
  link_kinds: number[];
  link_dimensions: number[];
  link_signs: number[];
  link_names: string[];
}

/** The share of the processes' run time that was spent in one state. */
export interface Share {
  /** Name of the state. */
  name: string;
  /** Time in the state, summed over processes and threads. */
  seconds: number;
  /** `seconds` divided by the summed lifetime of the processes, 0 to 1. If a share would exceed 1, all are divided by the lifetime of the threads. null where even that is exceeded, so that the lifetime is not known. CPU time and time inside calls overlap. */
  share: number | null;
}

/** One of the two programs of a run. */
export interface Side {
  program: string;
  job: string;
  processes: number;
  degradation: number | null;
  dilation: number | null;
  seconds: number | null;
}

/** The advice for a site: what to change, and what that would have saved. */
export interface SiteAdvice {
  /** Start of the evaluated period, s since the epoch. */
  from_s: number;
  /** End of the evaluated period, s since the epoch. */
  to_s: number;
  /** Number of jobs that ran in the period. */
  jobs: number;
  /** Number of these jobs with a verdict. */
  evaluated: number;
  /** Core hours that all these jobs held. */
  core_hours: number;
  /** Core hours that the jobs with a verdict lost to others. */
  lost: Interval;
  /** The advice, the greatest saving first; changes without a predicted saving are last. */
  found: SiteRecommendation[];
  /** Why no change is advised, a sentence; "" where a change is advised. */
  nothing: string;
  /** Limits of the advice, one sentence each. */
  limits: string[];
}

/** The advice on a site; for viewers who may not see all jobs, the losses of visible jobs. */
export interface SiteAdviceReport {
  /** number of jobs of the period that have no verdict yet; they are in no sum */
  waiting: number;
  /** null: the viewer may not see all jobs */
  advice: SiteAdvice | null;
  /** null: the viewer may see all jobs, see `advice` */
  sums: SiteSums | null;
}

/** One change that a site can make, with its saving and its cost. */
export interface SiteRecommendation {
  /** Kind of the change. */
  rule: 'licence' | 'rate limit' | 'exclusive nodes' | 'one switch' | 'drain';
  /** Name of the resource concerned, as shown to users. */
  where: string;
  /** Observation from which the advice follows, with numbers; a sentence without its full stop. */
  seen: string;
  /** Setting that is to be changed. */
  lever: string;
  /** Lines to paste into configurations or scripts. */
  texts: string[];
  /** Core hours that the change would have saved in the period; null where the saving cannot be predicted. */
  saving: Interval | null;
  /** Energy of nodes that the change would have saved, kWh; null where their power is not known. */
  kwh: Interval | null;
  /** How the saving was predicted, or why none is predicted. */
  saving_words: string;
  /** Who bears the cost of the change, and what that cost is. */
  pays: string;
  /** Delays of jobs by program, the program with the longest delay first. */
  delays: Delay[];
  /** Conditions under which the advice should not be followed. */
  unless: string;
  /** Lines for slurm.conf. */
  settings: string[];
  /** Options that the scheduler shall add to jobs. */
  directives: Directive[];
}

/** The loss of a user's jobs in a period. */
export interface SiteSums {
  /** Start of the period, s since the epoch. */
  from_s: number;
  /** End of the period, s since the epoch. */
  to_s: number;
  /** Number of the user's jobs that ran in the period. */
  jobs: number;
  /** Number of these jobs with a verdict. */
  evaluated: number;
  /** Core hours that these jobs held. */
  core_hours: number;
  /** Core hours that these jobs lost to others. */
  lost: Interval;
  /** Loss on each resource, the greatest loss first. */
  resources: ResourceSum[];
}

/** By how much one program slows another, with its 95 % interval. */
export interface Slowdown {
  /** Mean of the runs with the other program divided by the mean of those without it, less 1. */
  value: number;
  /** Lower end of the interval. */
  low: number | null;
  /** Upper end of the interval; infinite where the runs do not bound it. */
  high: number | null;
}

/** A time in which power or heat lowered a GPU's clock. */
export interface SlowedGpu {
  start_ns: number;
  end_ns: number;
  /** part of this time in which the clock was lowered, 0 to 1 */
  share: number;
  /** this slowdown in words, with power and temperature */
  words: string;
}

/** The slowdown of a run on one resource, compared with similar runs. Similar runs are runs of the same program on about as many ranks. */
export interface SlownessOnResource {
  /** The resource. */
  resource: string;
  /** Kind of the resource. */
  resource_kind: 'file system' | 'object servers' | 'metadata server' | 'network' | 'node' | 'memory' | 'gpu' | 'bus';
  /** Load of the run on it: bytes, plus a fixed number of bytes for each call. */
  bytes_and_calls: number;
  /** Service time of the run, divided by the median of similar runs. If it is above 1, the run was slower. It is 1 if there are no similar runs. */
  factor: number;
  /** Number of similar runs. */
  like_runs: number;
  /** Number of similar runs that were faster. */
  slower_than: number;
}

/** The time in which jobs that the viewer may see ran, and the number of nodes in use. */
export interface Span {
  first_ns: number;
  last_ns: number;
  /** whether one of these jobs runs now */
  live: boolean;
  nodes: number;
  /** length of the shortest slices of these jobs */
  slice_ns: number;
  /** start of the first step in `busy` */
  start_ns: number;
  step_ns: number;
  /** number of nodes with a job in each step */
  busy: number[];
}

/** The spread of a metric over the processes of a job, in the metric's unit. */
export interface Spread {
  /** Sum over all processes, including those too short for a profile. */
  total: number;
  /** Least value of a process. Short processes are left out unless all are short. */
  min: number;
  /** Mean over the same processes as `min`. */
  mean: number;
  /** Greatest value among the same processes. */
  max: number;
}

/** A program by itself. */
export interface Standalone {
  program: string;
  setting: Setting;
  metric: string;
  rate: Summary;
  seconds: Summary;
  discarded: number;
  failed: number;
}

/** Late ranks of one node, for which the other ranks of their world waited. */
export interface StragglerReport {
  ranks: number[];
  host: string;
  start_ns: number;
  end_ns: number;
  /** time for which the other ranks waited for these ranks */
  seconds: number;
  cause: 'starved' | 'capped' | 'slow cores' | 'slow file system' | 'slow link' | 'own imbalance' | 'unknown';
  /** true: the cause is outside the program */
  interference: boolean;
  /** 1 minus the probability that equal ranks differ as much by chance */
  confidence: number;
  /** the late ranks and their node, in words */
  who: string;
  /** start and end of the time in which they were late, in words */
  when: string;
  /** the cause in words; if it is not known, why not, and which data would show it */
  reason: string;
  /** who, when and reason as one sentence */
  text: string;
}

/** The studies of the repository. */
export interface Studies {
  studies: StudyRow[];
}

/** The results of a study, and of a second one to compare with. Each is what `jostle study show --json` prints, with the study's description. */
export interface StudyPage {
  study: StudyReport;
  other: StudyReport | null;
}

/** What `jostle study show --json` prints, with the study's description; and more. */
export interface StudyReport {
  study: string;
  description: string;
  place: string;
  slice_ns: number;
  runs: number;
  planned: number;
  programs: string[];
  standalone: Standalone[];
  cells: Cell[];
  curves: Curve[];
  break_even: Sentence[];
  serialised: Sentence[];
  imprints: ImprintReport[];
  traces: Trace[];
  notes: Note[];
  laws: Law[];
}

/** A study of the list. */
export interface StudyRow {
  study: string;
  description: string;
  /** local, lab or slurm */
  place: string;
  done: number;
  planned: number;
  /** runs in which a program failed */
  failed: number;
  programs: string[];
  /** end of its newest run; 0: no run yet */
  end_ns: number;
  /** why it cannot be read */
  damaged: string | null;
  fix: string | null;
}

/** A figure over repetitions, with the 95 % interval of its mean. */
export interface Summary {
  n: number;
  median: number | null;
  min: number | null;
  max: number | null;
  mean: number | null;
  /** null: fewer than three runs, too few for an interval */
  low: number | null;
  high: number | null;
}

/** A job whose load explains a loss on one resource. */
export interface Suspect {
  /** Name of the suspect, or "other users' jobs". */
  job: string;
  /** Program of the suspect; "" where it is not shown. */
  program: string;
  /** Uid of its owner; null where it is not shown. */
  user: number | null;
  /** The resource on which it slowed the job. */
  resource: string;
  /** Its part of the loss on the resource, 0 to 1. If it was found by a test, the part comes from a non-negative regression. */
  share: number;
  /** Run time that it cost the job. */
  seconds: Interval;
  /** Number of slices in which both were active on the resource. */
  slices: number;
  /** Rank correlation of its load with the job's service time. */
  correlation: number;
  /** p value of the test, which shifts the load circularly in time. */
  p: number;
  /** p after control of the false-discovery rate over all suspects and resources. */
  q: number;
  /** Time from its load to the slowdown for which the correlation is greatest; 0: the load acts at once. */
  lag_s: number;
  /** Its access pattern on the resource, for users ("aggregate-write, chunk 1 MiB"). */
  pattern: string;
  /** "job"; "unprofiled": load without a profile, known from counters of machines; "server": no neighbour, the server itself was slow. */
  kind: 'job' | 'unprofiled' | 'server';
  /** Method by which it was found: test or account. */
  how: 'account' | 'test';
  /** For a suspect that was found by an account: what the statistical test found about the same load, as part of a sentence; "" where no test was possible. */
  agreement: string;
}

/** Number of cores that a process kept busy: CPU time over run time; spread over processes. */
export interface Threads {
  min: number;
  mean: number;
  max: number;
}

/** The share of the ranks' time that was spent in one state. */
export interface TimeShare {
  /** Name of the state: computation, point-to-point, collective, one-sided, mpiio, other mpi or file i/o. */
  name: string;
  /** Time in the state, summed over ranks. */
  seconds: number;
  /** Share of the time of all ranks, 0 to 1. */
  share: number;
  /** Share of the rank's own time on the rank where this share is least. */
  least: number;
  /** Share of the rank's own time on the rank where this share is greatest. */
  most: number;
}

/** Two programs side by side, slice by slice. */
export interface Trace {
  probe: string;
  signal: string;
  setting: Setting;
  run: string;
  metric: string;
  slice_ns: number;
  probe_rate: (number | null)[];
  signal_rate: (number | null)[];
  alone_rate: (number | null)[];
  alone_first: number;
  bursts: [number, number][];
}

/** A job, and the other runs that it is compared with. */
export interface Trend {
  program: string;
  /** the job's number of processes, if all these runs have the same number; null: no other run has as many processes as the job */
  processes: number | null;
  /** the job and the other runs, the earliest first */
  runs: TrendRun[];
}

/** One run of a program. */
export interface TrendRun {
  job: string;
  start_ns: number;
  /** run time, the same as in the answer of `figures` */
  run_s: number;
  running: boolean;
  /** null: there is no verdict (yet); see `why_not` */
  verdict: Brief | null;
  /** why there can be no verdict; empty: there is one, or one may still come */
  why_not: string;
}

/** Traffic that the kernel counted, but jostle's wrapped calls did not. It comes from io_uring, static code and calls inside libc, or from files that jostle leaves out on purpose: pseudo file systems (such as a read of /dev/zero) and excluded paths. */
export interface Unaccounted {
  /** read or write. */
  direction: string;
  /** Bytes by the kernel's count (rchar or wchar). */
  system: number;
  /** Bytes of wrapped calls on files and streams. */
  wrapped: number;
  /** system - wrapped, at least 0. stdio reads ahead, so a few bytes are normal. */
  bytes: number;
  /** bytes / system; 0 without traffic. */
  share: number;
  /** Bytes that reached the storage layer. Traffic of mapped files shows only here. */
  storage: number;
}

/** The reason why it is not known whether one job slowed another, and how to find out. */
export interface Untested {
  /** The reason, one sentence. */
  why: string;
  /** What to run so that it becomes known, such as a run with shorter slices. */
  decided_by: string;
}

/** The loss of a job to interference, estimated from its own run and from its neighbours. `estimate` is the output of `jostle estimate --json`. `interference` is the output of `jostle interference --json`; it is null if no other job ran at the same time. */
export interface Verdict {
  job: JobRow;
  head: VerdictHead;
  attribution: Attribution;
  estimate: EstimateReport;
  interference: InterferenceReport | null;
  /** names for users: for the identity of each mount, its path in the job; for each resource that is a part of a mount, its name with this path */
  mounts: Record<string, string>;
  /** late ranks that others waited for; null: the job has no ranks */
  waits: WaitsReport | null;
}

/** The main numbers of a verdict: the traffic light, the loss and its main cause. */
export interface VerdictHead {
  /** green, yellow or red; null where it is undecided. */
  light: 'green' | 'yellow' | 'red' | null;
  /** Share of the run time that was lost, percent. */
  percent: Interval;
  /** Loss in seconds. */
  lost_s: Interval;
  /** Run time that `percent` refers to, in seconds. */
  run_s: number;
  /** Run time that the job would have had without interference, in seconds. */
  intrinsic_s: number;
  /** Cause of the largest loss; null where nothing was lost. One of: file system; network; memory or cpu, for messages within a node; memory; cpu; gpu; bus; unknown. */
  cause: 'file system' | 'network' | 'memory or cpu' | 'memory' | 'cpu' | 'gpu' | 'bus' | 'unknown' | null;
  /** Causes of the largest losses, in words: `CPU, slower cores`, `file system and CPU`; "" where nothing was lost. */
  what: string;
  /** Resource with the largest loss, such as a mount or a node; "" where nothing was lost. */
  resource: string;
  /** What the times of the run may be used for, in words. */
  advice: string;
  /** The most probable light. */
  likely: 'green' | 'yellow' | 'red';
  /** Probability of `likely`, 0 to 1. */
  sure: number;
  /** Reason why the light is undecided, part of a sentence; "" if it is decided. */
  undecided: string;
  /** Action that would decide it, part of a sentence; "" if it is decided. */
  decided_by: string;
}

/** The progress of an evaluation; any number of such messages precede the answer. */
export interface VerdictProgress {
  /** Number of the current step, from 0. */
  step: number;
  /** Number of steps. */
  steps: number;
  /** Name of the current step. */
  words: string;
}

/** A name for several metrics that are shown together. */
export interface ViewName {
  id: string;
  title: string;
}

/** The late ranks of a job, as `waits` in the output of `jostle estimate --json`. */
export interface WaitsReport {
  worlds: WorldWaitsReport[];
  /** probability that a straggler is named in a world whose ranks are equal */
  false_alarm: number;
}

/** The method of log-in. - `token`: by the URL that `jostle serve` printed. - `oidc`: at an OpenID Connect issuer; the log-in begins at /login/oidc. - `proxy`: by the proxy in front of the server. - `accounts`: by an HTTP POST request with name and password. */
export interface WayIn {
  way: 'token' | 'oidc' | 'proxy' | 'accounts';
}

/** The ranks of one mpirun, or of one launch of a training job. */
export interface WorldDigest {
  /** Id of the world; "" when unknown. */
  world: string;
  /** Number of ranks of the world; 0 when unknown. */
  size: number;
  /** Number of ranks that have a profile. */
  ranks: number;
  /** Ids of the ranks' processes, in order of rank. */
  processes: number[];
  /** Number of ranks by program, the most frequent program first. */
  programs: Record<string, number>;
  /** Nodes of the ranks. */
  hosts: string[];
  /** Whether MPI_Comm_spawn started the world. */
  spawned: boolean;
  /** First line of the MPI library's version text; for a training job, its collective library. */
  library: string;
  /** jostle's MPI adapter that counted the calls of the world; "" without one. */
  adapter: string;
  /** Whether the MPI calls of the world were counted. */
  counted: boolean;
  /** Why calls were not counted, or what else is missing; "" if nothing is missing. */
  problem: string;
  /** Launcher of the ranks: orte, prrte, hydra, slurm or torch; "" if unknown. */
  launcher: string;
  /** Id of the batch job; "" without one. */
  batch: string;
  /** MPI thread level: single, funneled, serialized or multiple. */
  thread_level: string;
  /** Number of ranks that ended, or still run, without having left MPI_Finalize. */
  unfinished: number;
  /** Whether some rank still runs. */
  running: boolean;
  /** When the first rank called MPI_Init or joined the world, ns since the epoch. */
  start_ns: number;
  /** Time from `start_ns` to the last return of MPI_Finalize; without that, to the end of the last rank, in seconds. */
  seconds: number;
  /** Time from start to completion of the collectives of a collective library, divided by the ranks' time, 0 to 1. null where so many collectives were under way at once that they add up to more than the ranks' time. */
  in_collectives: number | null;
  /** Calls and bytes of the ranks, by kind of call; only kinds that occurred. */
  traffic: CallTraffic[];
  /** How the ranks' time is divided among states, over the ranks whose run time is known; empty if it is known for no rank. */
  shares: TimeShare[];
  /** Description of the time that is divided. */
  shares_over: string;
  /** Load balance; null for a single rank. */
  balance: Balance | null;
  /** Number of cores that a rank kept busy, and its number of threads. */
  threads: RankThreads;
  /** Results of hardware counters. */
  counters: Counters;
  /** Time that calls took beyond what such calls usually take, as a share of the ranks' time; null: not known. */
  waited: number | null;
  /** Time off the CPU between calls, as a share of the ranks' time. It was sampled, so it is a lower bound. null: not known. */
  off_cpu: number | null;
  /** Spread over the ranks of every metric that is not zero, by id, without histograms. */
  metrics: Record<string, Spread>;
  /** Execution segments; null where they were switched off or never recorded. */
  segments: SegmentsDigest | null;
  /** Advice which tools to use next. */
  next: Advice[];
}

/** The late ranks of one MPI world, or of one training launch. */
export interface WorldWaitsReport {
  number: number;
  ranks: number;
  /** named: the others waited for the stragglers; cleared: they waited for no rank in particular; undecided: this is not known */
  answer: 'named' | 'cleared' | 'undecided';
  stragglers: StragglerReport[];
  /** the answer, with its stragglers, in words */
  text: string;
}
