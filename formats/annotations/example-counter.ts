const MAX_EXAMPLES = 10;

/** How often something was found, with the first places. */
export class ExampleCounter {
  count = 0;
  readonly examples: string[] = [];

  add(example: string): void {
    this.count += 1;
    if (this.examples.length < MAX_EXAMPLES) this.examples.push(example.slice(0, 700));
  }
}
