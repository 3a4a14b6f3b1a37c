// Made by tools/generate_api.py from the application itself; do not edit.

/** How a job wrote to a mount, or read from it. */
export interface AccessPattern {
  mount: string;
  pattern: string;
  phases: Phase[];
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

/** How a job read, or wrote. */
export interface AccessReport {
  direction: string;
  ops: number;
  bytes: number;
  mean_bytes: number;
  histogram: number[];
  common_low: number;
  common_high: number;
  small_share: number;
  pattern: string;
}

/** What one user of cores had of the time for which a job waited for them. */
export interface AccountPart {
  name: string;
  /** own: the job's other threads; limit: the CPU limit of its control group; steal: the hypervisor; unknown: nobody is known to have used them */
  kind: 'job' | 'unprofiled' | 'own' | 'limit' | 'steal' | 'unknown';
  seconds: Interval;
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
  loss: BatchLoss | null;
  /** null: nobody noted them */
  scheduler: SchedulerFacts | null;
}

/** What a batch job or a part of it lost, as `jostle estimate` has it. */
export interface BatchLoss {
  /** null: undecided, or nothing is known */
  light: 'green' | 'yellow' | 'red' | null;
  /** null: nothing is known */
  lost_s: Interval | null;
  percent: Interval | null;
  /** the largest cause in words; empty: nothing was lost */
  cause: string;
  /** why nothing is known; empty: something is */
  why: string;
}

/** Processes of one node whom advice on bindings is about. */
export interface BindingConcern {
  host: string;
  who: string;
  cpus: string;
  nodes: string;
  gpu: string;
  gpu_node: number;
  bytes: number;
  seconds: number;
}

/** What another binding of cores and GPUs would mend. */
export interface BindingReport {
  rule: string;
  seen: string;
  lever: string;
  texts: string[];
  pays: string;
  unless: string;
  saving: string;
  saving_s: number[] | null;
  bytes: number;
  seconds: number;
  cases: BindingConcern[];
  more_cases: number;
}

/** A run's loss, divided between suspects: all shares add up to 1. */
export interface BlameReport {
  lost_s: Interval;
  suspects: Blamed[];
  explained_s: Interval;
  /** not explained by any profiled job */
  unexplained_s: Interval;
  unexplained_share: number;
  /** slices in which time was lost, for any reason */
  lost_slices: number;
  /** those of them that a suspect slowed */
  suspect_slices: number;
}

/** A suspect's part of a run's loss. */
export interface Blamed {
  job: string;
  program: string;
  resources: string[];
  seconds: Interval;
  /** of the whole loss */
  share: number;
  slices: number;
  pattern: string;
  /** server: no neighbour, the server itself was slow */
  kind: 'job' | 'unprofiled' | 'server';
  /** how it was found, in words: also by account */
  how: string;
  /** of one found by account: what the test says of the same load */
  agreement: string;
}

/** A verdict in a row of the list of jobs. */
export interface Brief {
  /** null: undecided */
  light: 'green' | 'yellow' | 'red' | null;
  /** why the light is undecided; empty if it is decided */
  undecided: string;
  percent: number;
  lost_s: number;
  cause: 'file system' | 'network' | 'memory or cpu' | 'cpu' | 'gpu' | 'bus' | 'unknown' | null;
  /** the causes in words, as `jostle estimate` has them */
  what: string;
  resource: string | null;
  run_s: number;
  /** lost by its processes */
  core_hours: number;
  causes: CauseShare[];
}

/** Seconds that a run lost to one cause. */
export interface CauseLoss {
  cause: 'file system' | 'network' | 'memory or cpu' | 'cpu' | 'gpu' | 'bus' | 'unknown';
  resource: string;
  seconds: Interval;
  how: 'measured' | 'inferred' | 'neighbours';
  kind: '' | 'core speed' | 'steal' | 'capped' | 'heat' | 'power limit' | 'quota';
  /** limit (GHz, W) or temperature (°C) of the kind; 0: unknown */
  level: number;
}

/** A row of the table of causes. */
export interface CauseRow {
  /** the cause in words */
  what: string;
  /** the resource; a mount by its path */
  place: string;
  seconds: Interval;
  /** of the run time */
  share: number;
  how: 'measured' | 'inferred' | 'neighbours';
}

/** What a job lost to one cause. */
export interface CauseShare {
  what: string;
  place: string;
  lost_s: number;
}

/** A probe beside a signal. */
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

/** How well the clocks agreed. */
export interface ClockReport {
  text: string;
}

/** A cluster as `jostle estimate --json` has it, and its box. */
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

/** What `jostle compare --json` says; lists have an entry for each run, in the order asked. */
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

/** A cluster as the runs have it; an entry for each run, 0 where it has none of it. */
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

/** What one run says by itself: as `jostle estimate --json` has it. */
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
  judged: boolean;
  sure: number;
  undecided: string;
}

/** Who had the cores of a node while a job waited for them. */
export interface CoreAccount {
  host: string;
  /** added up over its threads, as the kernel measured it */
  waited_s: number;
  /** they add up to waited_s */
  parts: AccountPart[];
  /** the use of all cores was counted; else unprofiled load follows from waiting */
  totals_known: boolean;
}

/** What the profiler itself took. */
export interface Cost {
  calls: number;
  heartbeat_s: number;
  total_s: number;
  share_of_cpu: number | null;
}

/** A probe beside a signal as one setting varies. */
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

/** A file that a job used; the last of a list may be all others together, without a hash. */
export interface DigestFile {
  path: string;
  mount: string;
  hash: string;
  format: string;
  files: number;
  processes: number;
  opens: number;
  reads: number;
  writes: number;
  syncs: number;
  read_bytes: number;
  write_bytes: number;
  seconds: number;
  meta_s: number;
}

/** What a job did with the files of one format. */
export interface DigestFormat {
  format: string;
  files: number;
  read_bytes: number;
  write_bytes: number;
  seconds: number;
}

/** What a job did on one GPU. */
export interface DigestGpu {
  host: string;
  gpu: string;
  name: string;
  memory_bytes: number;
  to_bytes: number;
  back_bytes: number;
  within_bytes: number;
  peer_bytes: number;
  to_served: number | null;
  back_served: number | null;
  launches: number;
  busy_share: number | null;
  lost_records: number;
}

/** A mount that a job used. */
export interface DigestMount {
  mount: string;
  paths: string[];
  type: string;
  shared: boolean;
  processes: number;
  metrics: Record<string, Spread>;
  rates: Record<string, Rate>;
}

/** What `jostle digest --json` prints. */
export interface DigestReport {
  programs: Record<string, number>;
  slice_ns: number[];
  start_ns: number;
  end_ns: number;
  process_seconds: number;
  metrics: Record<string, Spread>;
  shares: Share[];
  mounts: DigestMount[];
  files: DigestFile[];
  formats: DigestFormat[];
  gpus: DigestGpu[];
  binding: BindingReport[];
  access: AccessReport[];
  writing: AccessPattern[];
  reading: AccessPattern[];
  unaccounted: Unaccounted[];
  errors: Record<string, number>;
  effective_threads: Threads | null;
  cores: number | null;
  cost: Cost;
  notes: string[];
  warnings: string[];
  clock: ClockReport;
}

/** One program with and without another beside it. */
export interface Encounter {
  victim: string;
  aggressor: string;
  resource_kind: 'file system' | 'network' | 'node' | 'gpu' | 'bus';
  with_runs: number;
  without_runs: number;
  with_mean: number;
  without_mean: number;
  slowdown: Slowdown | null;
  normal: (number | null)[];
  equal_variance: number | null;
  test: string;
  p: number | null;
  q: number | null;
}

/** What `jostle estimate --json` prints. */
export interface EstimateReport {
  run_s: number;
  intrinsic_s: number;
  start_ns: number;
  end_ns: number;
  ranks: number;
  lost_s: Interval;
  percent: Interval;
  coverage: number;
  causes: CauseLoss[];
  /** the table of causes, as `jostle estimate` prints it */
  cause_rows: CauseRow[];
  hits: Hit[];
  light: 'green' | 'yellow' | 'red' | null;
  sure: number;
  undecided: string;
  decided_by: string;
  advice: string;
  /** whether there is a light */
  judged: boolean;
  limits: string[];
  core_hours_lost: number;
  /** energy of its nodes in lost time; null: not measured */
  energy_lost_kwh: Interval | null;
}

/** The runs of a program with another one beside it, and those without. */
export interface EvidenceReport {
  encounter: Encounter;
  beside: EvidenceRun[];
  without: EvidenceRun[];
}

/** A run behind an encounter. */
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
  /** since when it is so; 0: always */
  valid_from_ns: number;
  nodes: number;
  switches: number;
  /** a cable is two: one each way */
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

/** What a fabric carried over a time, in steps. */
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
  /** some ports tell how long data waited */
  waiting: boolean;
  /** the greatest first */
  jobs: FabricJob[];
}

/** All versions of all fabrics; and the time in which visible jobs ran. */
export interface Fabrics {
  fabrics: Fabric[];
  first_ns: number;
  last_ns: number;
}

/** For each value of a field, the number of jobs that match all other filters. */
export interface Facets {
  light: Record<string, number>;
  cause: Record<string, number>;
  user: Record<string, number>;
  program: Record<string, number>;
  state: Record<string, number>;
}

/** A figure of a job's digest. */
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

/** Figures of a job over its processes, and among other runs of its program. */
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

/** A line of a view of a GPU. */
export interface GpuLine {
  name: string;
  /** one per step; null: its agent said nothing */
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

/** One way to look at a GPU over time. */
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

/** A slice in which others cost a job time. */
export interface GuiltySlice {
  start_ns: number;
  length_ns: number;
  resource: string;
  seconds: number;
  suspect: string;
}

/** The numbers behind the light. */
export interface Head {
  /** null: undecided */
  light: 'green' | 'yellow' | 'red' | null;
  percent: Interval;
  lost_s: Interval;
  run_s: number;
  intrinsic_s: number;
  cause: 'file system' | 'network' | 'memory or cpu' | 'cpu' | 'gpu' | 'bus' | 'unknown' | null;
  /** the main causes in words, as `jostle estimate` has them */
  what: string;
  resource: string;
  advice: string;
  /** the most probable light */
  likely: 'green' | 'yellow' | 'red';
  /** its probability, 0 to 1 */
  sure: number;
  /** why the light is undecided; empty if it is decided */
  undecided: string;
  /** what would decide it; empty if it is decided */
  decided_by: string;
}

/** A span of a run in which time was lost. */
export interface Hit {
  start_ns: number;
  end_ns: number;
  seconds: number;
  /** that took most of it */
  cause: 'file system' | 'network' | 'memory or cpu' | 'cpu' | 'gpu' | 'bus' | 'unknown';
  resource: string;
  /** what each cause took of it */
  parts: HitPart[];
}

/** What one cause took of a hit. */
export interface HitPart {
  cause: 'file system' | 'network' | 'memory or cpu' | 'cpu' | 'gpu' | 'bus' | 'unknown';
  resource: string;
  seconds: number;
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

/** What `jostle interference --json` prints. */
export interface InterferenceReport {
  seconds: Interval;
  percent: Interval;
  suspects: Suspect[];
  guilty: GuiltySlice[];
  resources: ResourceLoss[];
  /** other jobs beside it; those that the viewer may not see count as one */
  neighbours: number;
  /** among them are jobs that the viewer may not see */
  unnamed: boolean;
  evident: boolean;
  /** why no suspect can be identified, and what would help; "": not so */
  blind: string;
  limits: string[];
  /** jobs that were tested and did no visible harm */
  acquitted: Record<string, string>;
  /** jobs of which it is not known, and what would decide it */
  untested: Record<string, Untested>;
  /** who had the cores that the job waited for */
  accounts: CoreAccount[];
}

/** A figure with its 95 % interval. */
export interface Interval {
  value: number;
  low: number;
  high: number;
}

/** The GPUs of a job on which it did most, at most twelve, by host and name. */
export interface JobGpus {
  gpus: GpuSeries[];
}

/** A job on a link or a switch. */
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

/** A job of the list. */
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

/** The verdict is being made: ask again in a moment. */
export interface Judging {
  state: 'judging';
  job: JobRow;
  /** null: it waits for the verdict on another job */
  progress: Progress | null;
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

/** A job's load on a mount. */
export interface Layer {
  job: string;
  total: number;
  values: (number | null)[];
}

/** A series at one resolution; null: no value. */
export interface Line {
  name: string;
  low: (number | null)[];
  mean: (number | null)[];
  high: (number | null)[];
}

/** What the jobs of one user, program, resource or week lost. */
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

/** What interference cost a system. */
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

/** Servers and nodes over time, by their agents. */
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

/** What `jostle matrix --json` prints. */
export interface MatrixReport {
  programs: Potential[];
  encounters: Encounter[];
  jobs: number;
  limits: string[];
  /** commit of the repository that it was made from */
  commit: number;
  /** time that it took */
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

/** A metric that a series or a grid may show. */
export interface MetricName {
  id: string;
  group: string;
  unit: string;
  scope: 'process' | 'mount';
  text: string;
}

/** All that `metric` may name. */
export interface Metrics {
  views: ViewName[];
  metrics: MetricName[];
}

/** The load on a mount, by job. */
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

/** A GPU of a node over time, as the node's agent saw it. */
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

/** The GPUs of a node over time. */
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
}

/** A node as its agent saw it; shares of the time, 0 to 1. */
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

/** What `jostle nodes --json` prints. */
export interface NodesReport {
  answer: string;
  watched: string;
  /** days with slices of machines */
  days: number;
  comparisons: number;
  /** the surest first */
  differences: NodeDifference[];
  unjudged: NotJudged[];
  /** commit of the repository that it was made from */
  commit: number;
  /** time that it took */
  seconds: number;
}

/** Components that could not be judged. */
export interface NotJudged {
  words: string;
}

/** A remark on a study. */
export interface Note {
  kind: string;
  text: string;
}

/** Who is on a link or a switch. */
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

/** A name and a password. */
export interface Password {
  name: string;
  password: string;
}

/** A time in which a job wrote, or read, in one pattern. */
export interface Phase {
  pattern: string;
  start_ns: number;
  end_ns: number;
  bytes: number;
  evidence: string;
}

/** Which job is on which node. */
export interface Placed {
  jobs: string[];
  /** by node, a place in jobs */
  job_of: Record<string, number>;
  /** jobs that share links with the one asked for */
  conflicting: string[];
}

/** A measure of where a job sits. */
export interface PlacementMeasure {
  name: string;
  value: string;
  /** what it counts */
  what: string;
}

/** A job that ran at the same time, and what both can have in common. */
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

/** Where a job sits in its fabric, and who may use the same links. */
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

/** Segments, in time, an entry of each list for each. */
export interface Points {
  /** start, since the start of the judged time */
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

/** How much a program slows others, and is slowed. */
export interface Potential {
  program: string;
  runs: number;
  active: number | null;
  passive: number | null;
  hurts: string[];
  hurt_by: string[];
}

/** An error (RFC 9457), and how to correct it. */
export interface Problem {
  title: string;
  status: number;
  /** the cause, as the failed part reports it */
  detail: string | null;
  mend: string | null;
}

/** The progress of a verdict. */
export interface Progress {
  /** number of the current step, from 0; steps may be skipped */
  step: number;
  /** number of steps */
  steps: number;
  /** name of the current step */
  words: string;
}

/** The distribution of the totals of a program's other runs. */
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

/** A quantity divided by a time. */
export interface Rate {
  value: number;
  unit: string;
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

/** What a job lost on one shared resource. */
export interface ResourceLoss {
  resource: string;
  kind: 'file system' | 'network' | 'node' | 'gpu' | 'bus';
  seconds: Interval;
  slowdown: number | null;
  evident: boolean;
  why_not: string;
  steps_ns: number[];
  slice_ns: number;
  service: (number | null)[];
  how: 'account' | 'test';
}

/** Clusters that are not named one by one. */
export interface Rest {
  clusters: number;
  members: number;
  hit: number;
  excess_s: number;
  total_s: number;
}

/** The run time of one run beside that of the baseline. */
export interface RunTime {
  job: string;
  /** its program */
  group: string;
  run_s: number;
  /** over the run time of the baseline */
  ratio: number;
}

/** Run times as ratios. */
export interface RunTimes {
  runs: RunTime[];
  groups: GroupTime[];
  baseline: string;
  baseline_group: string;
}

/** What prolog and epilog noted of a batch job; empty texts and 0: not known. */
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

/** How long the segments of a cluster took, s, with its longest and shortest that are usual. */
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

/** The segments of a job, or of one of its clusters, over a span of it. */
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

/** A result as a sentence. */
export interface Sentence {
  text: string;
}

/** Some metrics of a job, or of all others on its resources, on one time axis. */
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

/** A server of a file system; of who may not see all jobs, all its servers together. */
export interface ServerLane {
  host: string;
  /** the file system; empty: none that a job used */
  mount: string;
  /** bytes/s; null: not for this viewer */
  bytes: number[] | null;
  /** mean time of a request, ms */
  request_ms: (number | null)[];
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

/** The vertices and links of a fabric; lists of one length belong together. */
export interface Shape {
  name: string;
  /** torus, mesh, fat tree, dragonfly, tree or graph */
  kind: string;
  /** since when it is so; 0: always */
  valid_from_ns: number;
  nodes: number;
  switches: number;
  /** a cable is two: one each way */
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

/** A part of the time of the processes. */
export interface Share {
  name: string;
  seconds: number;
  /** null where more time was counted than there was */
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

/** By how much one program slows another, with its 95 % interval if it is known. */
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

/** The time that the repository covers. */
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

/** A metric over processes. */
export interface Spread {
  total: number;
  min: number;
  mean: number;
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
  mend: string | null;
}

/** A figure over repetitions, with the 95 % interval of its mean. */
export interface Summary {
  n: number;
  median: number | null;
  min: number | null;
  max: number | null;
  mean: number | null;
  /** null: fewer than three runs, which do not tell it */
  low: number | null;
  high: number | null;
}

/** A job that cost another one time. */
export interface Suspect {
  job: string;
  program: string;
  resource: string;
  /** of the loss on the resource */
  share: number;
  seconds: Interval;
  slices: number;
  pattern: string;
  kind: 'job' | 'unprofiled' | 'server';
  /** account: by who used the resource when; test: by a statistical test */
  how: 'account' | 'test';
  agreement: string;
}

/** Cores that a process kept busy. */
export interface Threads {
  min: number;
  mean: number;
  max: number;
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

/** A run of the program. */
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

/** Bytes that the system counted, but no wrapped call. */
export interface Unaccounted {
  direction: string;
  bytes: number;
  share: number;
}

/** Why it is not known whether a job cost another one time. */
export interface Untested {
  why: string;
  /** a command, and what it is for */
  decided_by: string;
}

/** What interference cost a job, estimated from its own run and from its neighbours. `estimate` is what `jostle estimate --json` prints, `interference` what `jostle interference --json` prints; null if no other job ran beside it. */
export interface Verdict {
  job: JobRow;
  head: Head;
  blame: BlameReport;
  estimate: EstimateReport;
  interference: InterferenceReport | null;
  /** mount -> its path in the job */
  mounts: Record<string, string>;
}

/** Metrics that belong together, under one name. */
export interface ViewName {
  id: string;
  title: string;
}

/** The way to log in. `token`: by the URL that `jostle serve` printed; `oidc`: at an issuer, beginning at /login/oidc; `proxy`: the proxy in front does it; `accounts`: by POST of name and password. */
export interface WayIn {
  way: 'token' | 'oidc' | 'proxy' | 'accounts';
}
