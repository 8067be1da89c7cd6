import type { Format } from './format.ts';
import { aiSdk } from './formats/ai-sdk.ts';
import { aiSdkUi } from './formats/ai-sdk-ui.ts';
import { anthropic } from './formats/anthropic.ts';
import { claudeCode } from './formats/claude-code.ts';
import { cline } from './formats/cline.ts';
import { codex } from './formats/codex.ts';
import { continueDev } from './formats/continue.ts';
import { copilotCli } from './formats/copilot-cli.ts';
import { deloop } from './formats/deloop.ts';
import { geminiCli } from './formats/gemini-cli.ts';
import { langchain } from './formats/langchain.ts';
import { miniSweAgent } from './formats/mini-swe-agent.ts';
import { openaiChat } from './formats/openai-chat.ts';
import { openaiResponses } from './formats/openai-responses.ts';
import { openclaw } from './formats/openclaw.ts';
import { opencode } from './formats/opencode.ts';
import { openhands } from './formats/openhands.ts';
import { openhandsV0 } from './formats/openhands-v0.ts';
import { otel } from './formats/otel.ts';
import { pi } from './formats/pi.ts';
import { qwenCode } from './formats/qwen-code.ts';
import { sweAgent } from './formats/swe-agent.ts';

/** Every format, in the order in which they are asked: whoever looks for more in a record comes first. */
export const FORMATS: readonly Format[] = [
  deloop,
  qwenCode,
  claudeCode,
  codex,
  copilotCli,
  openclaw,
  pi,
  geminiCli,
  opencode,
  cline,
  continueDev,
  openhands,
  openhandsV0,
  sweAgent,
  miniSweAgent,
  otel,
  langchain,
  aiSdkUi,
  aiSdk,
  openaiResponses,
  anthropic,
  openaiChat,
];
