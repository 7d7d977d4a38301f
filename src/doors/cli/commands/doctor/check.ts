export interface Check {
  check: string;
  result: 'ok' | 'warning' | 'failed';
  says: string;
  next?: string;
}
