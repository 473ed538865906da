import { closeStage } from '../browser/support/stage.js';

export default closeStage;
