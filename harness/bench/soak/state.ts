/** How the farm process is after a run, as it says itself. */
export interface FarmState {
  /** Of the run, as `farm run` would have ended. */
  readonly exitCode: number;
  /** What is left after garbage collection, in the heap and in buffers outside it. */
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** Null where the system does not tell. */
  readonly openFiles: number | null;
}

/** What is there between two runs that the farm should have removed. */
export interface Leftovers {
  /** In all folders that a run writes to, without the database. */
  readonly diskBytes: number;
  readonly diskFiles: number;
  readonly processes: number;
  /** Lock files of displays whose server has died. */
  readonly staleDisplays: number;
}

/** What was seen after one run. */
export type Look = FarmState & Leftovers;
