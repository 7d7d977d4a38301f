/** Flags that select the installation. Absent ones fall back to the environment, the configuration file and the defaults, in that order. */
export interface Place {
  config?: string;
  dataDir?: string;
  /** Address of a running daemon, for example "http://127.0.0.1:8080". If set, no embedded proxy is started. */
  url?: string;
  apiKey?: string;
}
