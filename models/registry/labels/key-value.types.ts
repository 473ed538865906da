export interface KeyValue {
  readonly key: string;
  readonly value: string;
}
