// The tool-call check of @google/gemini-cli-core, called as its own client calls it.
import { GeminiEventType } from '@google/gemini-cli-core/dist/src/core/turn.js';
import { LoopDetectionService } from '@google/gemini-cli-core/dist/src/services/loopDetectionService.js';

/** A fresh detector, with the least configuration that it asks for. */
export function createPeer() {
  const config = {
    // The service reads context.config.*
    get config() {
      return this;
    },
    getDisableLoopDetection: () => false,
    getTelemetryEnabled: () => false,
    getUsageStatisticsEnabled: () => false,
    isInteractive: () => false,
  };
  return new LoopDetectionService(config);
}

export function peerEvent({ id, tool, args }) {
  const value = { callId: id, name: tool, args, isClientInitiated: false, prompt_id: 'bench' };
  return { type: GeminiEventType.ToolCallRequest, value };
}
