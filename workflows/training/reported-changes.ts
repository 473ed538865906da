import type { Duration } from '@temporalio/common';
import { condition, defineSignal, setHandler } from '@temporalio/workflow';
import { LOOK_AGAIN } from './training-options.js';

/** Waits for what changes outside of the workflow; a signal says that it did. */
export class ReportedChanges {
  private hasChanged = false;

  constructor(signal: string) {
    setHandler(defineSignal(signal), () => {
      this.hasChanged = true;
    });
  }

  /**
   * Looks until a look answers: at once, and again after each signal.
   * @param look null or false while there is no answer
   * @param again time after which a signal counts as lost, given how often it has looked
   */
  async until<T>(
    look: () => Promise<T | null | false>,
    again: (looks: number) => Duration = () => LOOK_AGAIN,
  ): Promise<T> {
    for (let looks = 1; ; looks += 1) {
      this.hasChanged = false;
      const answer = await look();
      if (answer !== null && answer !== false) return answer;
      await condition(() => this.hasChanged, again(looks));
    }
  }
}
