// Made by tools/generate_api.py from the application itself; do not edit.

/** How a job wrote to one mount, or read from it. */
export interface AccessPattern {
  /** Identity of the shared resource. */
  mount: string;
  /** The pattern of the phases that hold nine tenths of the bytes, those of unknown phases (a fifth at most) left out; mixed where named phases differ, none without writes (reads). Re-read also includes the first, sequential reading. */
  pattern: string;
  /** The chunk of the heaviest of these phases; null when it has none. */
  chunk_bytes: number | null;
  /** Period of the bursts in that phase; null where it has none. */
  period: Period | null;
  /** Bytes written (read). */
  bytes: number;
  /** The runtime followed where calls begin (writes: 0.3 and later; reads: 0.5). */
  followed: boolean;
  /** All phases in order of time, the silent ones between them too. */
  phases: AccessPhase[];
}

/** A stretch of time in which a job wrote to a mount, or read from it, in one way. */
export interface AccessPhase {
  /** One of PATTERNS (of reads: READ_PATTERNS), mixed, none or unknown. */
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
  /** Write (read) calls. */
  calls: number;
  /** Chunk size of the part that gave the pattern its name; null for mixed, none and unknown. */
  chunk_bytes: number | null;
  /** Number of calls that wrote (read) a chunk; null for the same patterns. */
  calls_per_chunk: number | null;
  /** Share of the writes that left a gap behind the one before, 0 to 1; 0 of reads. */
  gapped: number;
  /** Steps back and gaps of writes alternate: a file is written all over, or grows while its header is fixed; which of the two is not known. False of reads. */
  scattered: boolean;
  /** The access patterns found in the phase, the largest first. */
  parts: PatternShare[];
  /** Period of the bursts; null where they do not recur, or are too few to decide. */
  period: Period | null;
  /** A sentence: the figures that the name rests on. */
  evidence: string;
}

/** An access to another user's job. */
export interface AccessRecord {
  /** UTC */
  time: string;
  viewer: string;
  role: 'user' | 'manager' | 'support' | 'administrator';
  address: string;
  job: string;
  /** null: several users */
  owner: number | null;
}

/** Accesses to others' jobs, the newest first. */
export interface AccessRecords {
  looks: AccessRecord[];
  /** `before` of the next page; null: this is the last */
  before: number | null;
}

/** How a job accesses files in one direction. */
export interface AccessShape {
  /** read or write. */
  direction: string;
  /** Number of calls (posix and stdio). */
  ops: number;
  /** Bytes moved. */
  bytes: number;
  /** Mean bytes per call; 0 without calls. */
  mean_bytes: number;
  /** 32 counters of posix and stdio sizes; bucket b holds sizes in [2^(b-1), 2^b), bucket 0 size 0, bucket 31 all from 2^30. */
  histogram: number[];
  /** Lower bound of the most frequent bucket, bytes. */
  common_low: number;
  /** Its upper bound, exclusive. */
  common_high: number;
  /** Share of the calls in the histogram below 4 KiB. */
  small_share: number;
  /** Seeks per call, of both directions together. */
  seeks_per_op: number;
  /** In words: the access pattern of the mount with most of the bytes (see AccessPattern) where it has a name; else "many small", "large", "mixed sizes" or "none" by the sizes of calls, with "seeking" where seeks are frequent. */
  pattern: string;
}

/** The part of a job's waiting for cores that one user of these cores caused. */
export interface AccountPart {
  /** Name of the job or of the load; for other kinds, a description. */
  name: string;
  /** Kind of the user. own: the job's other threads; limit: the CPU limit of its control group; steal: the hypervisor; unknown: the user of the cores is not known. */
  kind: 'job' | 'unprofiled' | 'own' | 'limit' | 'steal' | 'unknown';
  /** Waiting, added up over the job's threads. */
  seconds: Interval;
}

/** Advice which kind of tool to use next, and why. */
export interface Advice {
  /** Name of the rule that gave it. */
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
  /** null: it waits for the verdict on another job */
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
  /** Run time that the suspect cost the job, s. */
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
  /** The loss, s. */
  lost_s: Interval;
  /** Suspects that caused a part of it, the greatest first. */
  suspects: AttributedSuspect[];
  /** Loss that all suspects together caused, s. */
  explained_s: Interval;
  /** Loss that no suspect explains, s. */
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
  /** Greatest computing time of a rank over the mean, less 1. */
  imbalance: number;
  /** The rank that computes longest. */
  busiest: number;
  /** The rank that computes least. */
  idlest: number;
  /** The rank that spends least in collectives: the others wait for it; null without collectives. */
  least_waiting: number | null;
  /** Computing time over ranks, s. */
  computing_s: Range;
}

/** A batch job, such as Slurm job 12, as a whole. */
export interface BatchJob {
  name: string;
  /** `Slurm job 12` */
  title: string;
  /** its script, steps and mpiruns */
  parts: number;
  /** parts without a verdict yet */
  waiting: number;
  /** from its first process to its last */
  run_s: number;
  /** null: some parts have no verdict yet */
  loss: LossNumbers | null;
  /** null: none were recorded */
  scheduler: SchedulerFacts | null;
}

/** A problem that a different binding of processes would fix. */
export interface BindingAdvice {
  /** far GPU, shared GPU, far adapter or same cores. */
  rule: string;
  /** Observation that the advice rests on, with figures; a sentence. */
  seen: string;
  /** Setting that is to be changed. */
  lever: string;
  /** Exact text for the node of the first case: lines to paste. */
  texts: string[];
  /** Who bears the cost of the change, and what that cost is. */
  pays: string;
  /** Conditions under which the advice should not be followed. */
  unless: string;
  /** The saving that is predicted, or why none is. */
  saving: string;
  /** Seconds of copies that are predicted to be saved, summed over processes: least, expected and most, by the slowest, all and the fastest copies that compare; null where nothing is predicted. */
  saving_s: [number, number, number] | null;
  /** Bytes of all cases. */
  bytes: number;
  /** Seconds of all cases. */
  seconds: number;
  /** The processes concerned, the most seconds first; at most MOST_CASES. */
  cases: BindingCase[];
  /** Number of further cases. */
  more_cases: number;
}

/** Processes of one node that a piece of advice is about. */
export interface BindingCase {
  /** The node. */
  host: string;
  /** Ranks of the processes, or their process ids where they have no rank: "rank 3". */
  who: string;
  /** Cores that they may run on, as the kernel lists them; "" unknown. */
  cpus: string;
  /** NUMA nodes of these, listed in the same way; "" unknown. */
  nodes: string;
  /** The GPU concerned, as digests name it; "" if the advice is about none. */
  gpu: string;
  /** The NUMA node of that GPU; -1: unknown or none. */
  gpu_node: number;
  /** Bytes that they copied to and from the GPU; for a far adapter, the bytes that it carried for all jobs; 0 without a GPU. */
  bytes: number;
  /** Time of these copies (0 for an adapter); without a GPU, the time that they waited for cores, summed over threads. */
  seconds: number;
}

/** A verdict in a few values, for a row of the list of jobs. */
export interface Brief {
  /** null: undecided */
  light: 'green' | 'yellow' | 'red' | null;
  /** why the light is undecided; empty if it is decided */
  undecided: string;
  percent: number;
  lost_s: number;
  cause: 'file system' | 'network' | 'memory or cpu' | 'memory' | 'cpu' | 'gpu' | 'bus' | 'unknown' | null;
  /** the causes in words, as `jostle estimate` has them */
  what: string;
  resource: string | null;
  run_s: number;
  /** lost by its processes */
  core_hours: number;
  causes: CauseShare[];
}

/** Calls of one kind and what they moved, over ranks. */
export interface CallTraffic {
  /** ccl collective, ccl send, ccl receive (of a collective library), collective, send, receive, room (of receives of which only that is known; their calls are among those of receive), sendrecv, complete, one-sided, mpiio read, mpiio write, file read or file write. */
  name: string;
  /** Number of calls per rank. */
  calls: Spread;
  /** Bytes per rank, as docs/reference/metrics.md defines them for each call. */
  bytes: Spread;
  /** Calls per second between MPI_Init and MPI_Finalize; null if no rank recorded that time. */
  calls_per_s: Range;
  /** Bytes per second of that time. */
  bytes_per_s: Range;
}

/** The run time lost to one cause. */
export interface Cause {
  /** Kind of the resource. */
  cause: 'file system' | 'network' | 'memory or cpu' | 'memory' | 'cpu' | 'gpu' | 'bus' | 'unknown';
  /** The resource: a mount identity, a node, "MPI" (the network); "" when it is not known. */
  resource: string;
  /** Run time lost to it. */
  seconds: Interval;
  /** measured (accounted for call by call), inferred (from clusters of segments), or neighbours (from slices with and without the load of neighbours). */
  how: 'measured' | 'inferred' | 'neighbours';
  /** The reason, where the core-speed probe or the node's agent shows it: "core speed", cores that ran slower (others on their sibling threads, or a lower frequency); "steal", steal time; "capped", a limit of the frequency; "heat", throttled; "power limit", a power limit lower than at other times; "quota", a CPU limit of the job's own control group; else "". */
  kind: '' | 'core speed' | 'steal' | 'capped' | 'heat' | 'power limit' | 'quota';
  /** The limit (GHz; W) or the temperature (°C) then; 0: not known. */
  level: number;
}

/** A row of the table of causes. */
export interface CauseRow {
  /** The cause in words. */
  what: string;
  /** The resource; for a mount, the path at which the job sees it. */
  place: string;
  /** Run time lost to this cause on this resource, s. */
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
  /** Whether no process saw an unsynchronised clock. */
  synchronised: boolean;
  /** Largest error bound that the kernel gave, µs. */
  error_us: number;
  /** Number of jumps of the clock that were seen. */
  steps: number;
  /** The same in one sentence for users. */
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
  /** which of them is the fastest */
  baseline: number;
  finding: string;
  /** how much longer than the fastest */
  measured_s: number[];
  estimated_s: number[];
  displaced_s: number[];
  work_s: number[];
  unexplained_s: number[];
  by_cause: Record<string, number[]>;
  clusters: ComparedCluster[];
  /** clusters that are not named: small, or too many */
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
  /** number of the cluster in each run's own estimate */
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
  /** added up over its threads, as the kernel measured it */
  waited_s: number;
  /** they add up to waited_s */
  parts: AccountPart[];
  /** the use of all cores was counted; else unprofiled load follows from waiting */
  totals_known: boolean;
}

/** Hardware counters: the events requested, those that the machine granted, and their results. */
export interface Counters {
  /** Names of the requested events. */
  asked: string[];
  /** Events that every rank got. */
  granted: string[];
  /** The other requested events. */
  denied: string[];
  /** Instructions in user mode, per rank and second of counted CPU time. */
  instructions_per_s: Range | null;
  /** Instructions per cycle, over all ranks. */
  instructions_per_cycle: number | null;
  /** Last-level misses per 1000 instructions, over all ranks. */
  misses_per_kilo: number | null;
  /** Of the first PAPI event that counts floating-point operations, per rank and second of CPU time that was counted. */
  flops_per_s: Range | null;
  /** Name of this event; "" without one. */
  flops_event: string;
  /** Counts of every granted PAPI event, per rank. */
  papi: Record<string, Spread> | null;
  /** Part of the CPU time during which hardware counters counted: they pause where frequent context switches would make them costly. */
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
  /** difference from the peers' median, %; of a rate, the rate */
  value: number;
  /** the least of nine in ten peers */
  low: number;
  /** their largest */
  high: number;
  worse: boolean;
}

/** The delay of the start or end of a program's jobs. */
export interface Delay {
  /** Name of the program. */
  program: string;
  /** Number of its delayed jobs. */
  jobs: number;
  /** Mean delay of these jobs, s. */
  mean_s: number;
  /** Largest delay, s. */
  most_s: number;
}

/** The options that a scheduler shall add to the jobs of a program. */
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
  /** The resource. */
  resource: string;
  /** Time lost in the slice. */
  seconds: number;
  /** The job with most load on the resource, or "other users' jobs". */
  suspect: string;
}

/** Runs of one program (victim) with and without another (aggressor). */
export interface Encounter {
  /** Program of the runs that are compared. */
  victim: string;
  /** The other program. */
  aggressor: string;
  /** Kind of the resource that both used. */
  resource_kind: 'file system' | 'object servers' | 'metadata server' | 'network' | 'node' | 'memory' | 'gpu' | 'bus';
  /** Number of runs of the victim with the aggressor. */
  with_runs: number;
  /** Number of runs without it. */
  without_runs: number;
  /** Mean service time relative to the victim's own undisturbed one, runs with the aggressor. */
  with_mean: number;
  /** The same for runs without the aggressor. */
  without_mean: number;
  /** with_mean / without_mean - 1, with its interval; null: too few runs for a test. */
  slowdown: Slowdown | null;
  /** Shapiro-Wilk p of both groups; null: too few. */
  normal: [number | null, number | null];
  /** Bartlett p; null: too few. */
  equal_variance: number | null;
  /** "ANOVA", or "Kruskal-Wallis" where its assumptions fail; "permutation" where runs are known as a whole only; "" too few runs. */
  test: string;
  /** p value of that test. */
  p: number | null;
  /** p after control of the false-discovery rate over the matrix. */
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
  /** whether there is a light */
  assessed: boolean;
  limits: string[];
  core_hours_lost: number;
  /** energy of its nodes in lost time; null: not measured */
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
  /** null: the viewer may not open it */
  job: string | null;
  value: number;
}

/** A version of a fabric. */
export interface Fabric {
  name: string;
  /** torus, mesh, fat tree, dragonfly, tree or graph */
  kind: string;
  /** valid since this time; 0: always */
  valid_from_ns: number;
  nodes: number;
  switches: number;
  /** a cable counts as two: one in each direction */
  links: number;
  dimensions: string[];
  sizes: number[];
  /** of each dimension, whether its ends are joined */
  wraps: boolean[];
  /** where it was read from */
  origin: string;
  /** what could not be read, or was guessed */
  notes: string[];
}

/** A job with traffic on a fabric. */
export interface FabricJob {
  /** empty: traffic of no job that is known */
  job: string;
  program: string;
  /** bytes times links that they crossed */
  bytes: number;
  /** the part of it that comes from models of collectives */
  modelled: number;
  /** the part whose partners are not known: divided evenly */
  spread: number;
  /** bytes between nodes that are not in the fabric */
  lost_bytes: number;
}

/** The load of a fabric's busiest link in each step of a span, and the jobs with traffic. */
export interface FabricOverview {
  start_ns: number;
  step_ns: number;
  steps: number;
  links: number;
  /** per step, the load of the busiest link, bytes/s */
  peaks: number[];
  greatest: number;
  /** links whose ports count */
  measured: number;
  /** adaptive routing: loads lie between two values */
  low_high: boolean;
  /** some ports count how long data waited */
  waiting: boolean;
  /** the greatest first */
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
  /** least of its processes; null: not counted per process */
  least: number | null;
  mean: number | null;
  most: number | null;
  /** null: its program has no other run */
  others: Quartiles | null;
}

/** The numbers of a job, compared with other runs of its program. */
export interface Figures {
  program: string;
  /** number of other runs it is compared with */
  runs: number;
  /** their names, if there are fewer than five */
  others: string[];
  /** number of processes of each run; null: they differ */
  processes: number | null;
  figures: Figure[];
}

/** What a job did with one file, or with all files that are not listed. */
export interface FileDigest {
  /** Path of the file, "…" before the end of a long one; "" without names, and for the rest. */
  path: string;
  /** Identity of the mount that it is on; "" for the rest. */
  mount: string;
  /** Hash of the path, 16 digits; "" for the rest. */
  hash: string;
  /** HDF5 or netCDF, by its first bytes; "" if different or not seen, and for the rest. */
  format: string;
  /** Number of files: 1, or that of the rest. */
  files: number;
  /** Number of processes that used it; for the rest, the most that used one of them. */
  processes: number;
  /** Number of calls that opened it. */
  opens: number;
  /** Number of read calls. */
  reads: number;
  /** Number of write calls. */
  writes: number;
  /** Number of calls that synchronised or flushed it. */
  syncs: number;
  /** Bytes read. */
  read_bytes: number;
  /** Bytes written. */
  write_bytes: number;
  /** Time in all calls on it, summed over processes and threads. */
  seconds: number;
  /** Part of this time in open, close and other metadata calls. */
  meta_s: number;
}

/** What a job did with all files of one format that have a row of their own. */
export interface FormatDigest {
  /** HDF5 or netCDF: whose library wrote and reads them. */
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
  /** Its name there: PCI bus id, or the UUID of an instance. */
  gpu: string;
  /** Model name; "" unknown. */
  name: string;
  /** Size of its memory; 0 unknown. */
  memory_bytes: number;
  /** Bytes copied from the host to it. */
  to_bytes: number;
  /** Bytes copied from it to the host. */
  back_bytes: number;
  /** Bytes copied within its memory. */
  within_bytes: number;
  /** Bytes copied to or from a different GPU. */
  peer_bytes: number;
  /** Bytes per second of the time of copies to it; null without any. */
  to_served: number | null;
  /** The same for copies to the host. */
  back_served: number | null;
  /** Number of launches of kernels and graphs. */
  launches: number;
  /** Part of the job's time in which its kernels ran, 0 to 1; null where kernels were not recorded, or added up to more than the job's time, as those of several processes may. */
  busy_share: number | null;
  /** Copies that were not counted, since CUPTI dropped their records. */
  lost_records: number;
}

/** One line of a chart of a GPU's activity. */
export interface GpuLine {
  name: string;
  /** one per step; null: no data from its agent */
  values: (number | null)[];
}

/** Some metrics of a job on one GPU. */
export interface GpuSeries {
  host: string;
  /** PCI bus id, or the UUID of an instance */
  gpu: string;
  /** its make; empty: unknown */
  name: string;
  series: Series;
}

/** One chart of a GPU's activity over time, such as its power. */
export interface GpuView {
  name: string;
  title: string;
  /** %, bytes, MHz, W, bytes/s, or errors (in a step) */
  unit: string;
  lines: GpuLine[];
}

/** The run times of the runs of one program. */
export interface GroupTime {
  group: string;
  runs: number;
  median_s: number;
  mean_s: number;
  /** null: fewer than three runs */
  std_s: number | null;
  min_s: number;
  max_s: number;
  /** mean over that of the baseline's program */
  ratio: number;
  /** 95 % interval of the ratio; null: too few runs */
  low: number | null;
  high: number | null;
}

/** A span of the run in which time was lost. */
export interface Hit {
  /** Start of the span. */
  start_ns: number;
  /** End of the span. */
  end_ns: number;
  /** Run time lost in it. */
  seconds: number;
  /** The cause of most of the loss. */
  cause: 'file system' | 'network' | 'memory or cpu' | 'memory' | 'cpu' | 'gpu' | 'bus' | 'unknown';
  /** The resource of that cause, as in Cause. */
  resource: string;
  /** Number of its hybrid cluster; -1 where clusters were not used. */
  cluster: number;
  /** The loss by cause; empty: all of it is due to `cause`. */
  parts: HitPart[];
}

/** The part of a hit that was lost to one cause. */
export interface HitPart {
  /** Kind of the cause, as in Cause. */
  cause: 'file system' | 'network' | 'memory or cpu' | 'memory' | 'cpu' | 'gpu' | 'bus' | 'unknown';
  /** The resource, as in Cause. */
  resource: string;
  /** Run time lost to it in the span of the hit. */
  seconds: number;
  /** The reason, as in Cause. */
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
  /** jobs that ran alongside it; those that the viewer may not see count as one */
  neighbours: number;
  /** among them are jobs that the viewer may not see */
  unnamed: boolean;
  evident: boolean;
  /** why no suspect can be identified, and what would help; "": not so */
  blind: string;
  limits: string[];
  /** jobs that were tested and are ruled out, and why */
  ruled_out: Record<string, string>;
  /** jobs that could not be tested, and what would decide it */
  untested: Record<string, Untested>;
  /** who had the cores that the job waited for */
  accounts: CoreAccount[];
}

/** A figure with its 95 % interval, in the unit of the figure. */
export interface Interval {
  value: number;
  low: number;
  high: number;
}

/** The digest of a job: its figures, each with minimum, mean and maximum over its processes. */
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
  /** Wall-clock time, s. */
  seconds: number;
  /** Lifetimes of all processes, summed, s. */
  process_seconds: number;
  /** Slice lengths in use, ns. */
  slice_ns: number[];
  /** Every metric that is not zero and no histogram; mount metrics over all mounts. Gauges: total is the sum of each process's highest level, the others are of these. */
  metrics: Record<string, Spread>;
  /** The mounts, the busiest first. */
  mounts: MountDigest[];
  /** Rates of the whole job; none over its time where that is shorter than 1 ms, or than the time that was counted in it. */
  rates: Record<string, Rate>;
  /** Where the time of the ranks went; without ranks that of all processes. */
  shares: Share[];
  /** CPU time over lifetime, per process; null where that is not known. */
  effective_threads: Threads | null;
  /** CPU time over the job's wall-clock time: cores in use on average; null where that time is not known. */
  cores: number | null;
  /** Shape of its reads and of its writes. */
  access: AccessShape[];
  /** Failed calls by class. */
  errors: Record<string, number>;
  /** Traffic that no wrapped call explains. */
  unaccounted: Unaccounted[];
  /** Cost of jostle itself. */
  cost: ProfilerCost;
  /** Agreement of its nodes' clocks. */
  clock: Clock;
  /** Notes of the runtime, each once. */
  notes: string[];
  /** Warnings of the reader of profiles, each once. */
  warnings: string[];
  /** The MPI programs, one entry per world; empty without MPI. */
  mpi: WorldDigest[];
  /** The access pattern of its writes on each mount, phase by phase, the mount with the most bytes first. */
  writing: AccessPattern[];
  /** The same for its reads. */
  reading: AccessPattern[];
  /** The files with most time and bytes, the slowest first, and last all others together; empty where no process that is over recorded its files. */
  files: FileDigest[];
  /** Its use of HDF5 and netCDF files; empty where no call moved the first bytes of such a file. */
  formats: FormatDigest[];
  /** Its use of each GPU; empty where that was not recorded. */
  gpus: GpuDigest[];
  /** Advice what to examine next in a job without MPI; MPI worlds have their own. */
  next: Advice[];
  /** Problems that a different binding of cores and GPUs would fix; empty if there are none. */
  binding: BindingAdvice[];
}

/** The busiest GPUs of a job, at most twelve, sorted by host and name. */
export interface JobGpus {
  gpus: GpuSeries[];
}

/** A job with traffic on a link or a switch. */
export interface JobOnLink {
  /** empty: traffic of no job that is known */
  job: string;
  program: string;
  bytes: number;
  /** of what all these jobs carried there */
  share: number;
  /** the part of the job's traffic that is modelled */
  modelled: number;
  /** the part whose partners are not known: divided evenly */
  spread: number;
  /** what the job lost here to others; null: its verdict is not made yet */
  seconds_lost: number | null;
  /** what others lost here to it */
  seconds_cost: number;
  /** per step, bytes/s */
  values: number[];
}

/** A row of the list of jobs. */
export interface JobRow {
  job: string;
  /** the batch job that it is a part of; null: none */
  batch: string | null;
  /** what users call it: `12.0` of Slurm job 12; else as `job` */
  part: string;
  program: string;
  uid: number | null;
  user: string | null;
  start_ns: number;
  end_ns: number;
  running: boolean;
  processes: number;
  /** those of its processes that are MPI ranks */
  ranks: number;
  nodes: number;
  /** null: none yet, or there can be none */
  verdict: Brief | null;
  /** why there can be no verdict; empty: not so, or not known yet */
  why_not: string;
  /** its activity, from its start to its end */
  spark: number[];
  /** the quantity of `spark`: bytes read and written; with little traffic time in collective libraries, in MPI, or CPU time, ns; null: unknown */
  spark_of: 'files' | 'collectives' | 'mpi' | 'cpu' | null;
}

/** A page of the list of jobs. */
export interface Jobs {
  /** jobs that match all filters */
  total: number;
  /** those of them whose verdicts are still to be made */
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

/** A change of a running job. */
export interface LiveChange {
  /** Start of the change (of the first slice of the new level), ns since the epoch. */
  at_ns: number;
  /** End of the slice that showed it. */
  found_ns: number;
  /** Kind of the change: slower, over or faster. */
  kind: string;
  /** Activity that takes longer: `read`, `write`, `sync`, `meta`, `waiting for cores`, `iteration`. */
  what: string;
  /** Kind of the resource; resource: its identity, "" for messages. */
  resource_kind: 'file system' | 'node' | 'messages';
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
  /** Its part of the rise of all other jobs' load on the resource, 0 to 1. */
  share: number;
  /** `share` less the probability that its load rose at that time by chance. */
  confidence: number;
}

/** The loss of the jobs of one user, program, resource or week. */
export interface LossGroup {
  name: string;
  /** jobs with a verdict */
  jobs: number;
  run_s: number;
  /** the most likely values, added up */
  lost_s: number;
  /** spent by their processes in lost time */
  core_hours: number;
  /** the job that lost most */
  worst: string;
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
  /** jobs that the viewer may see and that began in the span */
  jobs: number;
  /** those of them without a verdict */
  waiting: number;
  total: LossGroup;
  users: LossGroup[];
  programs: LossGroup[];
  /** a job counts for each that cost it time */
  resources: LossGroup[];
  /** by their Mondays, UTC */
  weeks: LossGroup[];
}

/** The activity of servers and nodes over time, from their agents. */
export interface MachineLanes {
  start_ns: number;
  step_ns: number;
  columns: number;
  servers: ServerLane[];
  /** empty for who may not see all jobs */
  nodes: NodeLane[];
  /** null values hide what too few other users did */
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
  /** Duration of the computation, s. */
  seconds: number;
}

/** The current user. */
export interface Me {
  name: string;
  /** null: not a user of the cluster, so without jobs */
  uid: number | null;
  role: 'user' | 'manager' | 'support' | 'administrator';
  way: 'token' | 'oidc' | 'proxy' | 'accounts';
  /** users whose jobs a manager sees besides the own ones */
  accounts: Name[];
  /** value of the header X-CSRF-Token of every POST; null: not needed */
  csrf: string | null;
  /** whether accesses to others' jobs are recorded */
  recorded: boolean;
  /** option that commands need to find this repository; on loopback only */
  flag: string;
}

/** A job that used a resource at the same time as the run. */
export interface MetJob {
  /** Name of the job; OTHERS: jobs that the viewer may not see. */
  job: string;
  /** Program of the job. */
  program: string;
  /** Uid of its owner; null: not shown, or several. */
  user: number | null;
  /** The resource that both used. */
  resource: string;
  /** Kind of that resource. */
  resource_kind: 'file system' | 'object servers' | 'metadata server' | 'network' | 'node' | 'memory' | 'gpu' | 'bus';
  /** Seconds in which both were active there. */
  overlap_s: number;
  /** Part of the run's traffic there that it moved meanwhile, 0 to 1. */
  share: number;
  /** Part of the load of both in these seconds that was the other's, 0 to 1. */
  load_share: number;
  /** Strength of the evidence that the job's program slows the run's program. */
  strength: 'evidence' | 'weak' | 'none' | 'too few runs';
  /** Number of runs of the run's program alongside the job's program. */
  with_runs: number;
  /** Number of its runs without the job's program. */
  without_runs: number;
  /** By how much the former are slower, with its interval; null: too few runs. */
  slowdown: Slowdown | null;
  /** p value of the test; null: too few runs. */
  p: number | null;
  /** p after control of the false-discovery rate over all these programs. */
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
  /** Identity of the shared resource. */
  mount: string;
  /** Paths at which processes saw it mounted. */
  paths: string[];
  /** Type of the file system. */
  type: string;
  /** Whether several nodes share it. */
  shared: boolean;
  /** Number of processes with calls on it. */
  processes: number;
  /** Every metric of scope mount that is not zero, by id; over these processes. */
  metrics: Record<string, Spread>;
  /** read_bytes and write_bytes per second of the job, none where its time is not known; read_service and write_service per second spent in the calls, which do not depend on how much the job asked for. */
  rates: Record<string, Rate>;
  /** Failed calls by class. */
  errors: Record<string, number>;
}

/** The load on a mount over time: of the jobs with most load, and of all others together. */
export interface MountLoad {
  mount: string;
  path: string;
  type: string;
  /** over the span */
  total: number;
  /** jobs with load there, as far as the viewer may know */
  jobs: number;
  /** the largest jobs, the largest first */
  layers: Layer[];
  /** sum of all others; null: there are none */
  rest: (number | null)[] | null;
  /** null values of rest hide sums of too few other users */
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
  figure: string;
  /** what is worse, in words */
  what: string;
  /** by how much, in words */
  how_much: string;
  /** of a rate, what it is per; empty: percent */
  unit: string;
  percent: Interval;
  since: string;
  worse_days: number;
  days: number;
  peers: number;
  course: DayOfPeers[];
}

/** The activity of a node's GPU over time, from the node's agent. */
export interface NodeGpu {
  host: string;
  /** its PCI bus id, or the UUID of an instance */
  gpu: string;
  /** its folder below /sys/devices; empty: not known */
  path: string;
  /** 0: not known */
  memory_bytes: number;
  start_ns: number;
  step_ns: number;
  /** those with any value */
  views: GpuView[];
  slowed: SlowedGpu[];
}

/** The GPUs of a node over time, and its memory. */
export interface NodeGpus {
  /** start of the node's slices */
  first_ns: number;
  /** their end */
  last_ns: number;
  /** of the span */
  start_ns: number;
  end_ns: number;
  /** empty where its agent saw none */
  gpus: NodeGpu[];
  /** who computed there most, in the span */
  memory: NodeMemoryRow[];
}

/** The activity of a node over time, as its agent recorded it; all values are shares, 0 to 1. */
export interface NodeLane {
  host: string;
  /** share of its cores that was busy */
  cpu: (number | null)[];
  /** some task waited for a core */
  waits_cpu: (number | null)[];
  /** some task waited for storage */
  waits_io: (number | null)[];
  /** some task waited for memory */
  waits_memory: (number | null)[];
}

/** The load of a job on a node, and the speed of the node's memory for it. */
export interface NodeMemoryRow {
  job: string;
  /** kept busy, mean over its slices */
  cores: number;
  /** of one read of main memory; null: no probe */
  latency_ns: number | null;
  /** the slowest twentieth of its slices, as a multiple of the median one */
  slower: number | null;
  /** that one thread had, bytes per second */
  bandwidth: number | null;
  /** bytes per second that its cache misses moved; null: not counted */
  missed: number | null;
}

/** The output of `jostle nodes --json`. */
export interface NodesReport {
  answer: string;
  watched: string;
  /** days with slices of machines */
  days: number;
  comparisons: number;
  /** the surest first */
  differences: NodeDifference[];
  unassessed: NotAssessed[];
  /** commit of the repository that it was made from */
  commit: number;
  /** time that it took */
  seconds: number;
}

/** Components that could not be assessed. */
export interface NotAssessed {
  words: string;
}

/** A remark on a study. */
export interface Note {
  kind: string;
  text: string;
}

/** The running jobs that the viewer may see; those that lose most now come first. */
export interface NowAnswer {
  /** end of the newest slice; 0: there is none */
  newest_ns: number;
  jobs: NowRow[];
}

/** A running job; its numbers are provisional, since its later slices are not known yet. */
export interface NowRow {
  job: string;
  program: string;
  uid: number | null;
  /** name of its owner; empty: several */
  user: string;
  nodes: string[];
  start_ns: number;
  /** end of its newest slice that was evaluated; 0: none yet */
  seen_ns: number;
  running: boolean;
  /** time that was evaluated */
  run_s: number;
  /** what it lost in it to others, as far as it is known */
  lost_s: number;
  /** further time beyond the usual, for no known reason */
  unexplained_s: number;
  /** what it loses to others now, percent of its time */
  now_percent: number;
  /** where it loses most now; null: nowhere */
  resource_kind: 'file system' | 'node' | 'messages' | null;
  resource: string;
  /** the same in words: `file system /scratch` */
  place: string;
  /** who causes it, the likeliest first */
  suspects: LiveSuspect[];
  /** why it loses time now; null: it does not */
  because: 'other jobs' | 'own change of phase' | 'nobody known' | 'it is over' | 'it is faster' | null;
  /** by whom, or why, in a few words */
  why: string;
  /** percent lost in each of the newest slices */
  trend: number[];
  /** the newest changes, the oldest first */
  changes: LiveChange[];
  /** the newest of them as a sentence; empty: none */
  last_change: string;
  /** what is usual for it is not known yet */
  learning: boolean;
  /** least slow-down that is found within three slices; null: none yet */
  smallest_percent: number | null;
}

/** The jobs with traffic on a link or a switch. */
export interface OnLink {
  name: string;
  /** as verdicts name it */
  resource: string;
  /** bytes/s; 0: not known */
  rate: number;
  /** 1, or how many lead into the switch */
  links: number;
  start_ns: number;
  step_ns: number;
  /** per step, bytes/s */
  load: number[];
  /** the least that adaptive routing can have put there */
  low: number[];
  /** the most that adaptive routing can have put there */
  high: number[];
  /** the ports counted it; else it is routed */
  measured: boolean;
  /** the greatest first */
  jobs: JobOnLink[];
}

/** Another job of the same user that cost the job time. */
export interface OwnNeighbour {
  /** Name of the other job. */
  job: string;
  /** When it started, s after the start of the job that it slowed; below 0: before it. */
  start_s: number;
  /** When it ended, s after the same instant. */
  end_s: number;
  /** Time that it cost the job, s. */
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
  /** Files closed, steps back, or write calls; jumps, returns, or read calls; 0 when they cannot be distinguished. */
  chunks: number;
  /** Bytes per chunk: mean size of a file, mean of what was written between two steps back, mean of what was read in order after a jump or return, mean size of a call; null when it is not known. */
  chunk_bytes: number | null;
}

/** Periodic bursts of I/O, with their period and its interval. */
export interface Period {
  /** Time from the start of one burst to the start of the next, s. */
  seconds: number;
  /** Lower end of the 95 % interval of the period, s. */
  low: number;
  /** Upper end of that interval, s. */
  high: number;
  /** Length of a burst (median), s; a whole number of slices. */
  on_seconds: number;
  /** Number of bursts in the series. */
  bursts: number;
  /** Probability that bursts of these lengths at random instants recur as regularly. */
  p_value: number;
}

/** The job on each node at an instant. */
export interface Placed {
  jobs: string[];
  /** by node, a place in jobs */
  job_of: Record<string, number>;
  /** jobs that share links with the one asked for */
  conflicting: string[];
}

/** A measure of a job's placement. */
export interface PlacementMeasure {
  name: string;
  value: string;
  /** what it counts */
  what: string;
}

/** A job that ran at the same time, and the links and switches that both may use. */
export interface PlacementMeeting {
  job: string;
  program: string;
  /** the part of the job's time in which it ran */
  share: number;
  nodes: number;
  /** switches on which both have nodes */
  shared_routers: number;
  /** links that the traffic of both may take */
  shared_links: number;
  conflicting: boolean;
}

/** The placement of a job in its fabric, and the jobs that may use the same links. */
export interface PlacementReport {
  /** its name; empty: none is known, or none has the job's nodes */
  fabric: string;
  why_not: string;
  /** in words; empty for who may not see all jobs */
  answer: string;
  measures: PlacementMeasure[];
  /** jobs that the viewer may see, those with most shared links first */
  meetings: PlacementMeeting[];
  notes: string[];
}

/** Segments in order of time; each list has one entry per segment. */
export interface Points {
  /** start, since the start of the assessed time */
  at_s: number[];
  seconds: number[];
  /** number of its cluster; 0: it is in none */
  cluster: number[];
  /** longer ones are interfered; null: none */
  threshold_s: (number | null)[];
  lost_s: number[];
  /** what computation was clustered by; null: nothing */
  work: (number | null)[];
}

/** How much a program slows others (active) and is slowed (passive), over all encounters. */
export interface Potential {
  /** Name of the program. */
  program: string;
  /** Number of its runs. */
  runs: number;
  /** Mean slowdown that it caused, weighted by runs; null: no encounter. */
  active: number | null;
  /** Mean slowdown that it suffered; null: no encounter. */
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
  fix: string | null;
}

/** The time that jostle itself cost the job. */
export interface ProfilerCost {
  /** Number of wrapped calls that were counted. */
  calls: number;
  /** CPU time of the runtime's threads that write records (heartbeats), s. */
  heartbeat_s: number;
  /** Estimated cost of calls and heartbeats together, s. */
  total_s: number;
  /** total_s over the CPU time of the job; 0 without CPU time, null where it is more than that. */
  share_of_cpu: number | null;
}

/** The distribution of a number over the other runs of a job's program. */
export interface Quartiles {
  runs: number;
  min: number;
  /** null: fewer than five runs have no quarters */
  q1: number | null;
  median: number | null;
  q3: number | null;
  max: number;
  /** the totals, if there are fewer than five runs */
  values: number[];
}

/** The spread of a rate or a ratio over ranks; NaN where it is known of none. */
export interface Range {
  min: number | null;
  mean: number | null;
  max: number | null;
}

/** Cores that a rank kept busy, and the number of threads it was set to use. */
export interface RankThreads {
  /** CPU time over run time; null if no rank recorded its run time. */
  effective: Range;
  /** OMP_NUM_THREADS; 0 where it is not set, null where ranks differ. */
  omp_threads: number | null;
  /** effective over omp_threads, mean over the ranks where it is set; null without. */
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
  /** Length of that time, s. */
  seconds: number;
}

/** One change that would save a job time, with what it saves and costs. */
export interface Recommendation {
  /** Short name of the rule that gave the advice; it stays the same between versions. */
  rule: string;
  /** Observation that the advice rests on, with figures; a sentence without its full stop. */
  seen: string;
  /** Setting or habit that is to be changed. */
  lever: string;
  /** Lines to paste into a script or a shell; may be empty. */
  texts: string[];
  /** Seconds of the job's run time that it would save; null where none can be predicted. */
  saving: Interval | null;
  /** What the saving rests on, or why none is predicted. */
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
  /** Run time of the job, s. */
  run_s: number;
  /** Run time that other jobs cost it, s. */
  lost: Interval;
  /** The advice, the greatest predicted saving first; those without a prediction last. */
  found: Recommendation[];
  /** Why nothing is advised, a sentence; "" where something is. */
  nothing: string;
  /** Limits of the advice, one sentence each. */
  limits: string[];
  /** The jobs of the same user that cost it time, and when they ran: what it would lose if it started earlier or later. */
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
  /** Mount identity, node, "network", or, where the fabric is known, "link A > B". */
  resource: string;
  /** Kind of the resource. */
  kind: 'file system' | 'object servers' | 'metadata server' | 'network' | 'node' | 'memory' | 'gpu' | 'bus';
  /** Run time lost there to others; without evidence, 0 to smallest_s. */
  seconds: Interval;
  /** Number of slices that could be assessed. */
  slices: number;
  /** Time that the job spent in calls there, per process (mean). */
  own_s: number;
  /** Service time under the suspects' load / without it; null: no suspects. */
  slowdown: number | null;
  /** Whether the others' load explains the loss, after false-discovery control. */
  evident: boolean;
  /** Smallest loss that these slices could have shown. */
  smallest_s: number;
  /** Reason why there is no evidence, one sentence. */
  why_not: string;
  /** Start of each assessed slice. */
  steps_ns: number[];
  /** Length of these slices. */
  slice_ns: number;
  /** Service time relative to the undisturbed one, per slice; nan: job inactive. */
  service: (number | null)[];
  /** The job's load on the resource per slice, in `unit`. */
  own_load: number[];
  /** The load of all other jobs. */
  others_load: number[];
  /** Unit of the loads per slice: bytes, ops or ns. */
  unit: string;
  /** Reason why its slices cannot decide, and what would, one sentence; "" where they can. */
  blind: string;
  /** Which of the job's calls were slow: "messages", else the mount or the node. */
  calls_of: string;
  /** Seconds lost to the suspects per slice, below 0 by chance; empty without suspects. */
  lost: number[];
  /** How the loss was divided among suspects. */
  how: 'account' | 'test';
  /** Identity of the mount that the resource is, or serves; "": none. */
  mount: string;
  /** For the memory of a node, the counters that the neighbours' load is known from. */
  load_source: '' | 'misses' | 'controllers' | 'cores';
}

/** The loss of a user's jobs on a resource. */
export interface ResourceSum {
  /** Name of the resource. */
  where: string;
  /** Core hours lost on it. */
  lost: Interval;
  /** Core hours of these that other jobs of the same user cost. */
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
  /** its program */
  group: string;
  run_s: number;
  /** over the run time of the baseline */
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
  /** exit code and signal, `3:0` */
  exit: string;
  cores: number;
  memory_bytes: number;
  time_limit_s: number;
  nodes: string[];
  dependency: string;
  array_job: number;
  /** -1: it is no task of an array */
  array_task: number;
  het_job: number;
  /** -1: it is no component */
  het_component: number;
}

/** A token for the header `Authorization: Bearer TOKEN`. */
export interface ScriptToken {
  token: string;
  /** how long it is valid */
  seconds: number;
}

/** The distribution of the durations of a cluster's segments, s, as a box plot. */
export interface SegmentBox {
  least: number;
  /** end of the whisker: 1.5 times the quartiles' distance away */
  lower: number;
  quarter: number;
  median: number;
  three_quarters: number;
  upper: number;
  most: number;
}

/** The segments of a job, or of one of its clusters, in a span of time. */
export interface Segments {
  job: string;
  method: string;
  /** -1: a job without MPI, which has no segments */
  world: number;
  ranks: number;
  start_ns: number;
  end_ns: number;
  /** segments of the whole run */
  total: number;
  /** those of them that are interfered */
  hit: number;
  /** what those in clusters lost */
  excess_s: number;
  /** by number, in order of the work in them */
  clusters: ClusterRow[];
  rest: Rest;
  /** number of the one that was asked for */
  cluster: number | null;
  /** that one; it may be none of the large ones */
  chosen: ClusterRow | null;
  /** segments of the cluster and the span */
  within: number;
  hits_within: number;
  /** of each column the shortest, the middle and the longest */
  usual: Points;
  hits: Points;
  limits: string[];
}

/** The execution segments of a world, merged over its ranks. */
export interface SegmentsDigest {
  /** Segments that all ranks have in common. */
  number: number;
  /** Segments stored by a rank. */
  per_rank: Range;
  /** Rule that made most of them: every, coalesced, epoch, raw or none. */
  rule: string;
  /** Share of the time by rule. */
  rules: Record<string, number>;
  /** The MPI function that ends most of them; "" where none does. */
  delimiter: string;
  /** Share of the time between the first and the last delimiter that lies inside segments of a kind seen at least five times. */
  coverage: number;
  /** The coverage is at least one half. */
  segmentable: boolean;
  /** Recurring kinds. */
  kinds: number;
  /** Boundaries common to all ranks over those of the coarsest rank. */
  agreement: number;
  /** Least, mean and greatest duration of a segment, s. */
  duration_s: Range;
  /** Median duration, s. */
  median_s: number;
  /** Ranks of the world that have no profile. */
  missing: number[];
  /** Notes on the merge of the ranks' segments. */
  notes: string[];
  /** The segments one by one, if requested. */
  rows: Record<string, unknown>[] | null;
}

/** A result as a sentence. */
export interface Sentence {
  text: string;
}

/** Some metrics of a job, or of other jobs on its resources, over time. */
export interface Series {
  metric: string;
  /** of the values: bytes/s, ops/s, s/s or a level's own */
  unit: string;
  start_ns: number;
  step_ns: number;
  lines: Line[];
  /** sums of too few other users are hidden (null) */
  few: boolean;
}

/** A server of a file system over time, as its agent recorded it. For viewers who may not see all jobs, all servers of a file system are shown as one. */
export interface ServerLane {
  host: string;
  /** the file system; empty: none that a job used */
  mount: string;
  /** the part that it serves; file system: all of it, or unknown */
  part: 'file system' | 'object servers' | 'metadata server';
  /** bytes/s; null: not for this viewer */
  bytes: number[] | null;
  /** metadata requests/s of a metadata server; null: not for this viewer */
  metadata: number[] | null;
  /** mean time of a request, ms */
  request_ms: (number | null)[];
  /** mean time of a metadata request, ms */
  metadata_ms: (number | null)[];
  /** share of the time that its disks were busy */
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
  /** valid since this time; 0: always */
  valid_from_ns: number;
  nodes: number;
  switches: number;
  /** a cable counts as two: one in each direction */
  links: number;
  dimensions: string[];
  sizes: number[];
  /** of each dimension, whether its ends are joined */
  wraps: boolean[];
  /** where it was read from */
  origin: string;
  /** what could not be read, or was guessed */
  notes: string[];
  /** names of nodes' adapters and of switches */
  vertices: string[];
  /** of each vertex, the node; empty: a switch */
  hosts: string[];
  levels: number[];
  groups: number[];
  planes: number[];
  coordinates: number[][];
  /** the words for link_kinds */
  kinds: string[];
  /** of each link, the vertex where it begins */
  sources: number[];
  targets: number[];
  /** bit/s; 0: not known */
  rates: number[];
  lanes: number[];
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
  /** The same divided by the summed lifetime of the processes, or of their threads where one of the shares would exceed 1, 0 to 1; null where it is not known: more time was counted than there was. CPU time and time inside calls overlap. */
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
  /** Start and end of the evaluated period, s since the epoch. */
  from_s: number;
  /** Start and end of the evaluated period, s since the epoch. */
  to_s: number;
  /** Number of jobs that ran in it. */
  jobs: number;
  /** Number of these jobs with a verdict. */
  evaluated: number;
  /** Core hours that all of them held. */
  core_hours: number;
  /** Core hours that those with a verdict lost to others. */
  lost: Interval;
  /** The advice, the greatest saving first; those without a prediction last. */
  found: SiteRecommendation[];
  /** Why nothing is advised, a sentence; "" where something is. */
  nothing: string;
  /** Limits of the advice, one sentence each. */
  limits: string[];
}

/** The advice on a site; for viewers who may not see all jobs, the losses of visible jobs. */
export interface SiteAdviceReport {
  /** jobs of the period without a verdict yet: they count nothing */
  waiting: number;
  /** null: the viewer may not see all jobs */
  advice: SiteAdvice | null;
  /** null: the viewer may see all jobs */
  sums: SiteSums | null;
}

/** One change that a site can make, with its saving and its cost. */
export interface SiteRecommendation {
  /** Kind of the change. */
  rule: 'licence' | 'rate limit' | 'exclusive nodes' | 'one switch' | 'drain';
  /** Name of the resource concerned, for users. */
  where: string;
  /** Observation that the advice rests on, with figures; a sentence without its full stop. */
  seen: string;
  /** Setting that is to be changed. */
  lever: string;
  /** Lines to paste. */
  texts: string[];
  /** Core hours that it would have saved in the period; null: none can be predicted. */
  saving: Interval | null;
  /** Energy of nodes that it would have saved, kWh; null: their power is not known. */
  kwh: Interval | null;
  /** What the saving rests on, or why none is predicted. */
  saving_words: string;
  /** Who bears the cost of the change, and what that cost is. */
  pays: string;
  /** Delays by program, the longest first. */
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
  /** Start and end of the period, s since the epoch. */
  from_s: number;
  /** Start and end of the period, s since the epoch. */
  to_s: number;
  /** Number of the user's jobs that ran in it. */
  jobs: number;
  /** Number of these jobs with a verdict. */
  evaluated: number;
  /** Core hours that they held. */
  core_hours: number;
  /** Core hours that they lost to others. */
  lost: Interval;
  /** Loss by resource, the greatest first. */
  resources: ResourceSum[];
}

/** By how much one program slows another, with its 95 % interval; infinite: without an end. */
export interface Slowdown {
  value: number;
  low: number | null;
  high: number | null;
}

/** A time in which power or heat lowered a GPU's clock. */
export interface SlowedGpu {
  start_ns: number;
  end_ns: number;
  /** of this time, 0 to 1 */
  share: number;
  words: string;
}

/** The slowdown of a run on one resource, compared with similar runs. */
export interface SlownessOnResource {
  /** The resource. */
  resource: string;
  /** Kind of the resource. */
  resource_kind: 'file system' | 'object servers' | 'metadata server' | 'network' | 'node' | 'memory' | 'gpu' | 'bus';
  /** Load of the run there: bytes, plus a fixed number for each call. */
  bytes_and_calls: number;
  /** Time of its operations over the median of similar runs; above 1 it was slower. Similar are runs of its program on about as many ranks. */
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
  /** whether a job runs now */
  live: boolean;
  nodes: number;
  /** length of the shortest slices */
  slice_ns: number;
  /** start of the curve */
  start_ns: number;
  step_ns: number;
  /** number of nodes with a job, per step */
  busy: number[];
}

/** The spread of a metric over the processes of a job, in the metric's unit. */
export interface Spread {
  /** Sum over all processes, the short ones included. */
  total: number;
  /** Least value of a process (short ones left out, unless there are no others). */
  min: number;
  /** Mean over the same processes. */
  mean: number;
  /** Greatest value of a process. */
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
  /** that the others waited for them */
  seconds: number;
  cause: 'starved' | 'capped' | 'slow cores' | 'slow file system' | 'slow link' | 'own imbalance' | 'unknown';
  /** the cause is outside the program */
  interference: boolean;
  /** 1 less the probability that ranks that are alike show as much */
  confidence: number;
  /** ranks and node in words */
  who: string;
  /** since when and until when, in words */
  when: string;
  /** the cause in words; if unknown, why, and which data would show it */
  reason: string;
  /** all of it as one sentence */
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
  /** Its part of the loss on the resource, 0 to 1 (non-negative regression). */
  share: number;
  /** Run time that it cost the job. */
  seconds: Interval;
  /** Number of slices in which both were active on the resource. */
  slices: number;
  /** Rank correlation of its load with the job's service time. */
  correlation: number;
  /** p value of the circular-shift permutation test. */
  p: number;
  /** p after control of the false-discovery rate over all suspects and resources. */
  q: number;
  /** Lag of the load at which the correlation is greatest; 0: at once. */
  lag_s: number;
  /** Its access pattern on the resource, for users ("aggregate-write, chunk 1 MiB"). */
  pattern: string;
  /** "job"; "unprofiled": load without a profile, known from counters of machines; "server": no neighbour, the server itself was slow. */
  kind: 'job' | 'unprofiled' | 'server';
  /** Method by which it was found: test or account. */
  how: 'account' | 'test';
  /** Of a suspect by account, what the statistical test says of the same load, part of a sentence; "" where none was possible. */
  agreement: string;
}

/** CPU time over run time: the number of cores kept busy, and its spread over processes. */
export interface Threads {
  min: number;
  mean: number;
  max: number;
}

/** A part of the ranks' time. */
export interface TimeShare {
  /** computation, point-to-point, collective, one-sided, mpiio, other mpi or file i/o. */
  name: string;
  /** Time, summed over ranks. */
  seconds: number;
  /** Share of the time of all ranks. */
  share: number;
  /** Share on the rank where it is least. */
  least: number;
  /** Share on the rank where it is most. */
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
  /** number of processes of each run; null: they differ */
  processes: number | null;
  /** the earliest first; the job is one of them */
  runs: TrendRun[];
}

/** One run of a program. */
export interface TrendRun {
  job: string;
  start_ns: number;
  /** run time, as `figures` has it */
  run_s: number;
  running: boolean;
  /** null: none yet, or there can be none */
  verdict: Brief | null;
  /** why there can be no verdict; empty: not so, or not known yet */
  why_not: string;
}

/** Traffic that the kernel counted, but that no counted call explains. It is of io_uring, static code and calls inside libc, or of files that are left out on purpose: pseudo file systems (a read of /dev/zero counts here) and excluded paths. */
export interface Unaccounted {
  /** read or write. */
  direction: string;
  /** Bytes by the kernel's count (rchar or wchar). */
  system: number;
  /** Bytes of wrapped calls on files and streams. */
  wrapped: number;
  /** system - wrapped, at least 0. stdio reads ahead, so a little is normal. */
  bytes: number;
  /** bytes / system; 0 without traffic. */
  share: number;
  /** Bytes that reached the storage layer; mapped files show only here. */
  storage: number;
}

/** The reason why it is not known whether one job slowed another, and how to find out. */
export interface Untested {
  /** The reason, one sentence. */
  why: string;
  /** A command that would decide it, with its purpose. */
  decided_by: string;
}

/** The loss of a job to interference, estimated from its own run and from its neighbours. `estimate` is the output of `jostle estimate --json`. `interference` is the output of `jostle interference --json`; it is null if no other job ran at the same time. */
export interface Verdict {
  job: JobRow;
  head: VerdictHead;
  attribution: Attribution;
  estimate: EstimateReport;
  interference: InterferenceReport | null;
  /** mount, or a resource of one -> the same with its path in the job */
  mounts: Record<string, string>;
  /** whom its ranks waited for; null: it has no ranks */
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
  /** Run time that `percent` refers to, s. */
  run_s: number;
  /** Run time that the job would have had without interference, s. */
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
  /** probability that a world whose ranks are alike has a straggler named */
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
  /** Ranks of the world; 0 when unknown. */
  size: number;
  /** Number of ranks that have a profile. */
  ranks: number;
  /** Ids of their processes, by rank. */
  processes: number[];
  /** Number of ranks by program, the most frequent first. */
  programs: Record<string, number>;
  /** Nodes of the ranks. */
  hosts: string[];
  /** Whether MPI_Comm_spawn started it. */
  spawned: boolean;
  /** First line of the MPI library's version text; for a training job, its collective library. */
  library: string;
  /** MPI adapter of jostle that counted its calls; "" without one. */
  adapter: string;
  /** Whether its MPI calls were counted. */
  counted: boolean;
  /** Why its calls were not counted, or what else is missing; "" if nothing is. */
  problem: string;
  /** orte, prrte, hydra, slurm, torch or "". */
  launcher: string;
  /** Id of the batch job; "" without one. */
  batch: string;
  /** MPI thread level: single, funneled, serialized or multiple. */
  thread_level: string;
  /** Ranks that ended, or still run, without having left MPI_Finalize. */
  unfinished: number;
  /** Whether some rank still runs. */
  running: boolean;
  /** When the first rank called MPI_Init or joined the world, ns since the epoch. */
  start_ns: number;
  /** Time from there to the last return of MPI_Finalize, or to the end, s. */
  seconds: number;
  /** Time from begin to completion of the collectives of a collective library, over that of the ranks, 0 to 1; null where several were under way at once for so long that they add up to more than the ranks' time. */
  in_collectives: number | null;
  /** Calls and bytes of the ranks, by kind of call; kinds that occurred only. */
  traffic: CallTraffic[];
  /** Shares of time by state, over the ranks whose run time is known; empty if it is known of none. */
  shares: TimeShare[];
  /** Description of the time that the shares are of. */
  shares_over: string;
  /** Load balance; null for a single rank. */
  balance: Balance | null;
  /** Thread-level concurrency. */
  threads: RankThreads;
  /** Hardware counters. */
  counters: Counters;
  /** Share of the time that calls took beyond what such calls usually take; null: not known. */
  waited: number | null;
  /** Share of the time off the CPU between calls (sampled; at least); null: not known. */
  off_cpu: number | null;
  /** Every metric that is not zero and no histogram, over the ranks. */
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
  answer: 'named' | 'cleared' | 'undecided';
  stragglers: StragglerReport[];
  /** the answer in words */
  text: string;
}
