-- job_submit.lua: adds to jobs what `jostle advise --site --format slurm` advises for their programs.
--
-- It belongs in the folder of slurm.conf, with the table jostle_policy.tsv in the same folder and
-- JobSubmitPlugins=lua in slurm.conf. The table is read at each submission, so that a new one holds
-- at once. Without a table, or where a line is not understood, jobs are submitted as they are.
-- A site with a job_submit.lua of its own reads this file with dofile, and calls
-- jostle_add(job_desc) in its slurm_job_submit.
--
-- A job runs a program if its script names it: at the end of a path or as a word, in a line that is
-- no comment. `srun` and `salloc` without a script are known by the name of the job.

local POLICY = (debug.getinfo(1, "S").source:match("^@(.*/)") or "./") .. "jostle_policy.tsv"
-- From here on a number of Slurm means that it was not given (NO_VAL16, NO_VAL).
local NOT_GIVEN_16, NOT_GIVEN = 0xfffe, 0xfffffffe

-- Returns the table: a list of {program=, words=}; empty where there is none.
local function read_policy(path)
   local rows = {}
   local file = io.open(path, "r")
   if file == nil then
      return rows
   end
   for line in file:lines() do
      local program, words = line:match("^([^#\t][^\t]*)\t(.*)$")
      if program then
         rows[#rows + 1] = { program = program, words = words }
      end
   end
   file:close()
   return rows
end

-- Returns the lines of a script that are no comments, each with a blank before and behind it.
local function commands(script)
   local kept = {}
   for line in (script or ""):gmatch("[^\r\n]+") do
      if not line:match("^%s*#") then
         kept[#kept + 1] = " " .. line .. " "
      end
   end
   return table.concat(kept, "\n")
end

-- Returns whether a text names a program as a word or at the end of a path.
local function names(text, program)
   local from = 1
   while true do
      local first, last = text:find(program, from, true)
      if first == nil then
         return false
      end
      local before, behind = text:sub(first - 1, first - 1), text:sub(last + 1, last + 1)
      if before:match("[%s/\"'=;&|(]") and behind:match("[%s\"';&|)]") then
         return true
      end
      from = first + 1
   end
end

-- Adds licences to those that a job asks for; what it asks for already stays as it is.
local function add_licences(job_desc, wanted)
   local asked = job_desc.licenses or ""
   local added = {}
   for name, number in pairs(wanted) do
      local known = ("," .. asked:gsub("[;|]", ",")):find("," .. name .. "[:*,@]")
         or ("," .. asked .. ","):find("," .. name .. ",", 1, true)
      if not known then
         added[#added + 1] = name .. ":" .. number
      end
   end
   if #added == 0 then
      return nil
   end
   table.sort(added)
   local text = table.concat(added, ",")
   job_desc.licenses = asked == "" and text or asked .. "," .. text
   return "-L " .. text
end

-- Adds to a job what the table has for its programs; returns what was added, as options of sbatch.
function jostle_add(job_desc)
   local text = commands(job_desc.script)
   local licences, options, alone, switches, minutes = {}, {}, false, nil, nil
   for _, row in ipairs(read_policy(POLICY)) do
      if names(text, row.program) or (text == "" and job_desc.name == row.program) then
         for word in row.words:gmatch("%S+") do
            local licence, number = word:match("^licenses=([%w_]+):(%d+)$")
            if licence then
               licences[licence] = math.max(licences[licence] or 0, tonumber(number))
            elseif word == "exclusive" then
               alone = true
            elseif word:match("^switches=") then
               switches, minutes = word:match("^switches=(%d+)@(%d+)$")
            end
         end
      end
   end
   options[#options + 1] = add_licences(job_desc, licences)
   if alone and (job_desc.shared == nil or job_desc.shared >= NOT_GIVEN_16) then
      job_desc.shared = 0
      options[#options + 1] = "--exclusive"
   end
   local asked = job_desc.req_switch
   if switches and (asked == nil or asked == 0 or asked >= NOT_GIVEN) then
      job_desc.req_switch = tonumber(switches)
      job_desc.wait4switch = 60 * tonumber(minutes)
      options[#options + 1] = "--switches=" .. switches .. "@" .. minutes
   end
   return options
end

function slurm_job_submit(job_desc, part_list, submit_uid)
   local understood, options = pcall(jostle_add, job_desc)
   if not understood then
      slurm.log_error("jostle: %s", tostring(options))
   elseif #options > 0 then
      slurm.log_user("jostle: added " .. table.concat(options, " ") .. " to keep jobs from slowing each other")
   end
   return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
   return slurm.SUCCESS
end

return slurm.SUCCESS
