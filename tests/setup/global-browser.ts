import { openStage } from '../browser/support/stage.js';

export default openStage;
